import type { Answer } from "../../src/transport/run.ts";

/**
 * A start that is under way is not left half said: the first Ctrl-C waits for what becomes of it and tells how to stop
 * it, a second one leaves at once.
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

/** What a shell says of a command that was ended by Ctrl-C. */
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
