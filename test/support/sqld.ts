import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Sqld {
  readonly url: string;
  stop(): Promise<void>;
}

// The package's own command is a stub that an install script would replace.
const binary = (): string => {
  const platform = createRequire(createRequire(import.meta.url).resolve("sqld/package.json"));
  return join(dirname(platform.resolve(`@sqld/${process.platform}-${process.arch}/package.json`)), "sqld");
};

/** Starts a libSQL server with an empty database on a free port, and waits until it answers. */
export async function startSqld(): Promise<Sqld> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-sqld-"));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(binary(), ["--db-path", folder, "--http-listen-addr", address], { stdio: "ignore" });
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const url = `http://${address}`;
  const stop = async () => {
    child.kill("SIGKILL");
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; !(await answers(url)); attempt++) {
    if (attempt === 200 || child.exitCode !== null) {
      await stop();
      throw new Error("sqld does not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
