import type { Answer } from "../../src/transport/run.ts";
import { whereFlags } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";

/** Strategies by the group of their commands, and how a sentence names them. */
const STARTED = { grid: "the grid", quote: "the quotes", strategy: "the strategy" } as const;
export type StartedGroup = keyof typeof STARTED;

/**
 * Lets a running start finish: the first Ctrl-C waits for its result and explains how to stop the strategy, a second
 * one exits at once.
 */
export async function reportOnInterrupt(
  starting: Promise<Answer>,
  group: StartedGroup,
  values: Values,
): Promise<Answer> {
  const started: StartedCommand = { group, flags: whereFlags(values) };
  let isInterrupted = false;
  const interrupted = () => {
    if (isInterrupted) process.exit(leaveAtOnce(started));
    isInterrupted = true;
    process.stderr.write(
      "The start is in progress; the result follows. Press Ctrl-C again to leave at once.\n",
    );
  };
  process.on("SIGINT", interrupted);
  try {
    const answer = await starting;
    if (isInterrupted) process.stderr.write(`${becomes(answer, started)}\n`);
    return answer;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Exit code of a command that Ctrl-C ended. */
export const INTERRUPTED = 130;

interface StartedCommand {
  readonly group: StartedGroup;
  /** Flags of the database or the server. */
  readonly flags: string;
}

function leaveAtOnce({ group, flags }: StartedCommand): number {
  process.stderr.write(
    `Interrupted during the start. Run \`edgemaker ${group} status${flags}\` to see whether ${STARTED[group]} started, and \`edgemaker ${group} stop <id>${flags}\` to stop.\n`,
  );
  return INTERRUPTED;
}

function becomes({ status, body }: Answer, { group, flags }: StartedCommand): string {
  const { id, error } = body as { readonly id?: string; readonly error?: string };
  if (status === 200 && id)
    return `Ctrl-C came too late: ${STARTED[group]} started. \`edgemaker ${group} stop ${id}${flags}\` cancels the orders.`;
  // Other failures of a server can happen after the strategy was stored.
  if (status >= 500 && error !== "Start failed")
    return `It is unknown whether ${STARTED[group]} started. \`edgemaker ${group} status${flags}\` shows it, and \`edgemaker ${group} stop <id>${flags}\` cancels its orders.`;
  return "Nothing was started.";
}
