import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { callRemote } from "../../../cli/host/remote.ts";
import { createOperations } from "../../../src/operations.ts";

/** A server that takes a request and dies; answers its address, and what it was asked. */
async function dying() {
  const requests: string[] = [];
  const server = createServer((request) => {
    requests.push(`${request.method} ${request.url}`);
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const operation = (name: string) => {
  const found = createOperations(["kraken"]).find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

describe("a server that does not respond", () => {
  it.each([
    ["create_order", { exchange: "kraken" }, "POST /api/v1/orders"],
    ["stop_strategy", { id: "grid-1" }, "POST /api/v1/strategies/grid-1/stop"],
    ["set_kill_switch", { on: true }, "POST /api/v1/kill"],
  ])("may already have applied the change: %s", async (name, input, request) => {
    const { url, requests } = await dying();
    await expect(callRemote(operation(name), input, { url, token: undefined })).rejects.toThrow(
      /no response from .*; the request may have taken effect, so check before you repeat it/,
    );
    expect(requests).toEqual([request]);
  });

  it("can safely receive a read-only request again", async () => {
    const { url } = await dying();
    const asking = callRemote(operation("list_grids"), {}, { url, token: undefined });
    await expect(asking).rejects.toThrow(/no response from http:\/\/127\.0\.0\.1:\d+: socket hang up$/);
  });
});
