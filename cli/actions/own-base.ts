import type { Answer } from "../../src/transport/run.ts";
import type { Values } from "../terminal/arguments.ts";

/**
 * Asks before a grid uses base that the account has, where there is somebody to ask. What the start then says of it;
 * undefined when the answer is to start nothing.
 */
export async function askOwnBase(
  input: Readonly<Record<string, unknown>>,
  { json }: Values,
  preview: () => Promise<Answer>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (input.useOwnBase !== undefined || json || !process.stdin.isTTY || !process.stdout.isTTY) return {};
  const { status, body } = await preview();
  const { ownBaseUsed = "0" } = body as { ownBaseUsed?: string };
  // What the preview is refused with, the start is too: it says so itself.
  if (status !== 200 || ownBaseUsed === "0") return {};
  // Loaded when somebody is asked: most commands never ask.
  const { confirm } = await import("@clack/prompts");
  const base = String(input.symbol).split("/")[0];
  const answer = await confirm({ message: `The grid sells ${ownBaseUsed} ${base} that you have. Use it?` });
  return typeof answer === "boolean" ? { useOwnBase: answer } : undefined;
}
