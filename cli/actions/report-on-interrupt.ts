import type { Answer } from "../../src/transport/run.ts";
import { whereFlags } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";

/**
 * Lets a running start finish: the first Ctrl-C waits for its result and explains how to stop the strategy, a second
 * one exits at once.
 */
export async function reportOnInterrupt(starting: Promise<Answer>, values: Values): Promise<Answer> {
  const flags = whereFlags(values);
  let isInterrupted = false;
  const interrupted = () => {
    if (isInterrupted) process.exit(leaveAtOnce(flags));
    isInterrupted = true;
    process.stderr.write(
      "The start is in progress; the result follows. Press Ctrl-C again to leave at once.\n",
    );
  };
  process.on("SIGINT", interrupted);
  try {
    const answer = await starting;
    if (isInterrupted) process.stderr.write(`${becomes(answer, flags)}\n`);
    return answer;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Exit code of a command that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** `flags` are those of the database or the server. */
function leaveAtOnce(flags: string): number {
  process.stderr.write(
    `Interrupted during the start. Run \`edgemaker status${flags}\` to see whether the strategy started, and \`edgemaker stop <id>${flags}\` to stop it.\n`,
  );
  return INTERRUPTED;
}

function becomes({ status, body }: Answer, flags: string): string {
  const { id, error } = body as { readonly id?: string; readonly error?: string };
  if (status === 200 && id)
    return `Ctrl-C came too late: the strategy started. \`edgemaker stop ${id}${flags}\` cancels its orders.`;
  // Other failures of a server can happen after the strategy was stored.
  if (status >= 500 && error !== "Start failed")
    return `It is unknown whether the strategy started. \`edgemaker status${flags}\` shows it, and \`edgemaker stop <id>${flags}\` cancels its orders.`;
  return "Nothing was started.";
}
