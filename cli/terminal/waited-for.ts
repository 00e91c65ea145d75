import type { WaitingCaller } from "../../src/operation.ts";

const PROGRESS_INTERVAL_MS = 1000;

export interface Waited<T> {
  readonly answer: T;
  readonly isCut: boolean;
}

interface Words<T> {
  /** Description of what the first Ctrl-C does. */
  readonly ends: string;
  /** Describes the result after the first Ctrl-C. */
  readonly ended: (answer: T) => string;
}

const PARTIAL_RESULT_WORDS: Words<unknown> = {
  ends: "stops here and shows the result so far",
  ended: () => "Stopped early. This is the result so far.\n",
};

/**
 * Runs long work of this process: in a terminal it shows progress, and the first Ctrl-C ends it, with a partial
 * result by default. A second one exits at once.
 */
export async function waitedFor<T>(
  work: (waiting: WaitingCaller) => Promise<T>,
  { ends, ended }: Words<T> = PARTIAL_RESULT_WORDS,
): Promise<Waited<T>> {
  const { stderr } = process;
  let isCut = false;
  let [describedAt, isReported] = [performance.now(), false];
  const cut = () => {
    isCut = true;
  };
  process.once("SIGINT", cut);
  try {
    const answer = await work({
      isEnough: () => isCut,
      hear(done) {
        if (!stderr.isTTY || performance.now() - describedAt < PROGRESS_INTERVAL_MS) return;
        describedAt = performance.now();
        stderr.write(`\r${Math.floor(100 * done)} % done; Ctrl-C ${ends}`);
        isReported = true;
      },
    });
    if (isReported) stderr.write("\r\u001b[K");
    if (isCut) stderr.write(ended(answer));
    return { answer, isCut };
  } finally {
    process.off("SIGINT", cut);
  }
}
