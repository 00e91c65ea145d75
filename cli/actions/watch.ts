import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../src/kernel/errors.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Answer } from "../../src/transport/run.ts";

const BETWEEN_WATCHES_MILLIS = 2000;
/** Terminal codes that move to the top left and clear what is below. */
const REDRAW = "\x1b[H\x1b[J";

export interface WatchedAnswer {
  readonly ask: () => Promise<Answer>;
  readonly show: (body: unknown) => string;
  /** Whether responses, and failures as well, are lines of JSON. */
  readonly asJson: boolean;
}

/** Shows responses until Ctrl-C, each in place of the previous one on a terminal. It shows failures and continues. */
export async function watch(first: Answer, { ask, show, asJson }: WatchedAnswer): Promise<number> {
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.abort());
  // The reader has closed the pipe: `edgemaker … --watch | head`.
  process.stdout.once("error", () => over.abort());
  const failed = asJson ? ({ body }: Answer) => JSON.stringify(body) : failureText;
  for (let answer = first; !over.signal.aborted; answer = await askAgain(ask)) {
    process.stdout.write(
      `${process.stdout.isTTY ? REDRAW : ""}${answer.status === 200 ? show(answer.body) : failed(answer)}\n`,
    );
    await sleep(BETWEEN_WATCHES_MILLIS, undefined, { signal: over.signal }).catch(() => undefined);
    if (over.signal.aborted) break;
  }
  return 0;
}

/** Calls again; a failure is a response too. */
export const askAgain = (ask: WatchedAnswer["ask"]): Promise<Answer> =>
  ask().catch((error: unknown) => ({ status: 500, body: { error: "No answer", message: messageOf(error) } }));

export function failureText({ body }: Answer): string {
  const { error, message = "no message" } = body as { error?: string; message?: string };
  return `${error}: ${plainText(message)}`;
}
