import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { boundConnections } from "../../../cli/host/process/connections.ts";

const MOST = 20;

it("closes no new connection whose request is still on its way", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/kill") response.end("done");
  });
  boundConnections(server, MOST);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const opened = async (path?: string): Promise<Socket> => {
    const accepted = once(server, path ? "request" : "connection");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    if (path) socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await accepted;
    return socket;
  };
  // Each of them waits for its response, so none of them is idle.
  for (let count = 0; count < MOST; count++) await opened("/slow");
  const kill = await opened();
  await opened();
  kill.write("GET /kill HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const [answer] = await Promise.race([once(kill, "data"), once(kill, "close")]);
  expect(String(answer)).toContain("200 OK");
});
