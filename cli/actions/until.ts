import { setTimeout as sleep } from "node:timers/promises";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { CommandSurface } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { wholeFlag } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { askAgain, failureText } from "./watch.ts";

const BETWEEN_LOOKS_MILLIS = 1000;

interface Going {
  readonly surface: NonNullable<CommandSurface["until"]>;
  readonly ask: () => Promise<Answer>;
  readonly values: Values;
}

/**
 * Repeats a call until it is done or nothing changes for a time, and prints each change to stderr. A server that does
 * not respond may be restarting, so neither that nor a failure ends it.
 */
export async function until(
  first: Answer,
  { surface, ask, values }: Going,
): Promise<{ readonly answer: Answer; readonly isDone: boolean }> {
  const seconds = wholeFlag(values, "wait", { usual: 60, most: 86_400 });
  let [answer, last, changedAt] = [first, "", performance.now()];
  for (;;) {
    if (answer.status === 200 && surface.isDone(answer.body)) return { answer, isDone: true };
    const text = answer.status === 200 ? surface.progress(answer.body) : failureText(answer);
    if (text !== last) {
      process.stderr.write(`${plainText(text, 1000)}\n`);
      [last, changedAt] = [text, performance.now()];
    }
    if (performance.now() - changedAt >= seconds * 1000) return { answer, isDone: false };
    await sleep(BETWEEN_LOOKS_MILLIS);
    answer = await askAgain(ask);
  }
}
