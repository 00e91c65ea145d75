import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { callServer } from "../../../cli/host/call-server.ts";

async function serverThat(answers: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(["POST", "PUT", "PATCH", "DELETE"])("sends the length and the whole body of a %s", async (method) => {
  const url = await serverThat(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { method: had, headers } = request;
    response.end(
      JSON.stringify([had, headers["content-length"], headers.connection, String(parts.join(""))]),
    );
  });
  const { status, text } = await callServer(url, { method, body: '{"note":"€"}', timeout: 10_000 });
  expect([status, JSON.parse(text)]).toEqual([200, [method, "14", "close", '{"note":"€"}']]);
});

it("joins a character that two packets carry", async () => {
  const [first, second] = [Buffer.from("€").subarray(0, 1), Buffer.from("€").subarray(1)];
  const url = await serverThat((_request, response) => {
    response.write(first);
    setTimeout(() => response.end(second), 20);
  });
  expect((await callServer(url, { timeout: 10_000 })).text).toBe("€");
});

it("follows no redirect", async () => {
  const requests: (string | undefined)[] = [];
  const url = await serverThat((request, response) => {
    requests.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect((await callServer(`${url}/here`, { timeout: 10_000 })).status).toBe(302);
  expect(requests).toEqual(["/here"]);
});

it("gives up after its time, also within a response", async () => {
  const silent = await serverThat(() => undefined);
  await expect(callServer(silent, { timeout: 50 })).rejects.toThrow("due to timeout");
  const slow = await serverThat((_request, response) => void response.write("{"));
  await expect(callServer(slow, { timeout: 200 })).rejects.toThrow("due to timeout");
});

it("reports a response that breaks off", async () => {
  const url = await serverThat((request, response) => {
    response.writeHead(200, { "content-length": "10" }).write("12345");
    setTimeout(() => request.socket.destroy(), 20);
  });
  await expect(callServer(url, { timeout: 10_000 })).rejects.toThrow("aborted");
});

it("names the reason if no address of a host answers", async () => {
  await expect(callServer("http://localhost:9", { timeout: 10_000 })).rejects.toThrow(/ECONNREFUSED \S+:9$/);
});
