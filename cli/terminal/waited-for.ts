import type { WaitingCaller } from "../../src/operation.ts";

/** A terminal shows the newest share in place; a pipe or a log gets a line now and then. */
const PROGRESS_INTERVAL_MS = { terminal: 1000, pipe: 10_000 };

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
 * Runs long work of this process: it shows progress, and the first Ctrl-C ends it, with a partial result by default. A
 * second one exits at once.
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
        const interval = PROGRESS_INTERVAL_MS[stderr.isTTY ? "terminal" : "pipe"];
        if (performance.now() - describedAt < interval) return;
        describedAt = performance.now();
        if (!stderr.isTTY) return void stderr.write(`${Math.floor(100 * done)} % done\n`);
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
