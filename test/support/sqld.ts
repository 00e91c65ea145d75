import { spawn } from "node:child_process";
import { freePort } from "./free-port.ts";
import { runtimeProgram } from "./runtimes.ts";
import { makeFolder } from "./temp.ts";

export interface Sqld {
  readonly url: string;
  /** Kills it, and starts it again where it was, with what it has kept. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

// The package's own command is a stub that an install script would replace.
const binary = (): string => runtimeProgram(["sqld", `@sqld/${process.platform}-${process.arch}`], "sqld");

/** Starts a libSQL server with an empty database on a free port, and waits until it answers. */
export async function startSqld(attempts = 5): Promise<Sqld> {
  const { path: folder, remove } = makeFolder();
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const begin = () => {
    const child = spawn(binary(), ["--db-path", folder, "--http-listen-addr", address], { stdio: "ignore" });
    return { child, closed: new Promise<void>((resolve) => child.on("close", () => resolve())) };
  };
  let { child, closed } = begin();
  const halt = async () => {
    child.kill("SIGKILL");
    await closed;
  };
  const stop = async () => {
    await halt();
    remove();
  };
  const isUp = async () => {
    const until = performance.now() + 240_000;
    while (child.exitCode === null && performance.now() < until) {
      if (await answers(url)) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  };
  const resume = async () => {
    ({ child, closed } = begin());
    if (!(await isUp())) throw new Error("sqld does not answer again");
  };
  if (await isUp()) return { url, halt, resume, stop };
  await stop();
  // Another program was quicker to take the port.
  if (child.exitCode !== null && attempts > 1) return startSqld(attempts - 1);
  throw new Error("sqld does not answer");
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
