import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const FILES = 200;

/** Opens a connection that sends this text and nothing more. */
function connected(url: string, text = ""): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => resolve(socket));
    socket.on("connect", () => {
      if (text !== "") socket.write(text);
      resolve(socket);
    });
  });
}

it.skipIf(process.platform !== "linux").each([
  ["idle connections", ""],
  ["connections with half a request", "POST /api/v1/kill HTTP/1.1\r\nhost: localhost\r\n"],
])("kills by HTTP and keeps its passes while %s use up the open files", async (_, text) => {
  const folder = tempFolder();
  const args = ["--db", `file:${folder}/one.db`, "--sandbox", "--tick-interval", "100"];
  const limited = ["sh", "-c", `ulimit -n ${FILES}; exec "$@"`, "sh", process.execPath] as const;
  const server = await serve(folder, args, {}, [...limited]);
  await Promise.all(Array.from({ length: 2 * FILES }, () => connected(server.url, text)));
  const killed = await server.ask("/api/v1/kill", { method: "POST", body: '{"on":true}' });
  expect([killed.status, await killed.json()]).toMatchObject([200, { on: true }]);
  // A pass opens files too, such as those of the database.
  const health = async () => (await (await server.ask("/health")).json()) as { status: string };
  expect(await eventually(health, ({ status }) => status === "ok")).toMatchObject({ status: "ok" });
  expect(server.stderr()).not.toContain("EMFILE");
});
