import type { Answer } from "../../src/transport/run.ts";

/**
 * Lets a running start finish: the first Ctrl-C waits for its result and explains how to stop the grid, a second one
 * exits at once.
 */
export async function reportOnInterrupt(starting: Promise<Answer>): Promise<Answer> {
  let isInterrupted = false;
  const interrupted = () => {
    if (isInterrupted) process.exit(leaveAtOnce());
    isInterrupted = true;
    process.stderr.write(
      "The start is in progress; the result follows. Press Ctrl-C again to leave at once.\n",
    );
  };
  process.on("SIGINT", interrupted);
  try {
    const answer = await starting;
    if (isInterrupted) process.stderr.write(`${becomes(answer)}\n`);
    return answer;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

/** Exit code of a command that Ctrl-C ended. */
export const INTERRUPTED = 130;

function leaveAtOnce(): number {
  process.stderr.write(
    "Interrupted during the start. Run `edgemaker grid status` to see whether the grid runs, and `edgemaker grid stop <id>` to stop it.\n",
  );
  return INTERRUPTED;
}

function becomes({ status, body }: Answer): string {
  const { id } = body as { readonly id?: string };
  return status === 200 && id
    ? `The grid started before Ctrl-C took effect. \`edgemaker grid stop ${id}\` cancels its orders.`
    : "Nothing was started.";
}
