import type { Answer } from "../../src/transport/run.ts";

/** Strategies by the group of their commands, and how a sentence names them. */
const STARTED = { grid: "the grid", quote: "the quotes", strategy: "the strategy" } as const;
export type StartedGroup = keyof typeof STARTED;

/**
 * Lets a running start finish: the first Ctrl-C waits for its result and explains how to stop the strategy, a second
 * one exits at once.
 */
export async function reportOnInterrupt(starting: Promise<Answer>, group: StartedGroup): Promise<Answer> {
  let isInterrupted = false;
  const interrupted = () => {
    if (isInterrupted) process.exit(leaveAtOnce(group));
    isInterrupted = true;
    process.stderr.write(
      "The start is in progress; the result follows. Press Ctrl-C again to leave at once.\n",
    );
  };
  process.on("SIGINT", interrupted);
  try {
    const answer = await starting;
    if (isInterrupted) process.stderr.write(`${becomes(answer, group)}\n`);
    return answer;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Exit code of a command that Ctrl-C ended. */
export const INTERRUPTED = 130;

function leaveAtOnce(group: StartedGroup): number {
  process.stderr.write(
    `Interrupted during the start. Run \`edgemaker ${group} status\` to see whether ${STARTED[group]} started, and \`edgemaker ${group} stop <id>\` to stop.\n`,
  );
  return INTERRUPTED;
}

function becomes({ status, body }: Answer, group: StartedGroup): string {
  const { id } = body as { readonly id?: string };
  return status === 200 && id
    ? `Ctrl-C came too late: ${STARTED[group]} started. \`edgemaker ${group} stop ${id}\` cancels the orders.`
    : "Nothing was started.";
}
