import { type ChildProcess, spawn } from "node:child_process";

/** A server in a process of its own, which tells its port first. */
export interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

export async function startServer(script: string, args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (part) => resolve(Number(part)));
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} before it told its port`)));
  });
  return { child, port };
}

/**
 * Does it in a process that never sleeps: to wake whoever asks is much of what a short answer takes, and would be counted
 * as the server's, the more the slower that is.
 */
export async function awake(act: () => Promise<unknown>): Promise<void> {
  let isAwake = true;
  const stay = () => {
    if (isAwake) setImmediate(stay);
  };
  stay();
  try {
    await act();
  } finally {
    isAwake = false;
  }
}
