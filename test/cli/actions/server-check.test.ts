import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { readyOf } from "../../../cli/actions/doctor.ts";

/** Checks a server whose metrics are these, or that closes the connection instead. */
async function checked(metrics: { status: number; text: string } | undefined) {
  const server = createServer((request, response) => {
    if (request.url === "/ready") response.end("{}");
    else if (metrics) response.writeHead(metrics.status).end(metrics.text);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { finding, detail } = await readyOf({ url, pid: 7, token: "em_token", instance: "one" } as never);
  return `${finding}: ${detail.replace(url, "URL")}`;
}

it("shows the streams of a server that is ready", async () => {
  const text = [
    "# TYPE edgemaker_stream_live gauge",
    'edgemaker_stream_live{exchange="kraken",kind="live"} 1',
    'edgemaker_stream_live{exchange="mexc",kind="live"} 0',
  ].join("\n");
  expect(await checked({ status: 200, text })).toBe(
    "ok: runs at URL (process 7); streams: kraken live, mexc not live",
  );
  expect(await checked({ status: 200, text: "" })).toBe("ok: runs at URL (process 7)");
});

it("reports a ready server as ready, even if its streams cannot be read", async () => {
  const unread = "ok: runs at URL (process 7); its streams could not be read";
  expect(await checked(undefined)).toBe(unread);
  expect(await checked({ status: 500, text: "failed" })).toBe(unread);
});
