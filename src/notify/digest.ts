/** News that is still to be sent, in bounded size, so many events become one message. */
import { ZERO } from "../kernel/decimal.ts";
import { ageOf, isAhead, MINUTE, type Millis } from "../kernel/time.ts";
import { type AlertLevel, type Digest, type DigestLine, isAtLeast, NO_DIGEST } from "../model/channel.ts";
import type { News } from "../model/news.ts";

const MOST_LINES = 20;
/** How long news with the same key is only counted after it was sent. */
const AGAIN_AFTER: Millis = 10 * MINUTE;
const MOST_LINES_SHOWN = 50;

/** Adds news for a channel's level, at protocol time `now`. */
export function takeIn(
  digest: Digest,
  news: readonly News[],
  { least, now }: { readonly least: AlertLevel; readonly now: Millis },
): Digest {
  const lines = new Map(digest.lines.map((line) => [line.key, line]));
  let { more } = digest;
  for (const one of news) {
    if (!isAtLeast(one.level, least)) continue;
    const known = lines.get(one.key);
    lines.set(one.key, known ? withNews(known, one) : lineOf(one, dueAt(digest, one.key, now)));
    if (lines.size <= (one.level === "alert" ? 2 * MOST_LINES : MOST_LINES) || known) continue;
    const { key, count } = leastUrgent([...lines.values()]);
    lines.delete(key);
    more += count;
  }
  return { ...digest, lines: [...lines.values()], more };
}

/** Returns the line that a more urgent one replaces: the newest of the lowest level. */
const leastUrgent = (lines: readonly DigestLine[]): DigestLine =>
  lines.reduce((least, line) => (isAtLeast(least.level, line.level) ? line : least));

const dueAt = ({ sentAt }: Digest, key: string, now: Millis): Millis => {
  const last = sentAt[key];
  return last === undefined ? now : Math.max(now, last + AGAIN_AFTER);
};

const lineOf = ({ key, level, text, at, fill }: News, due: Millis): DigestLine => ({
  key,
  level,
  text,
  at,
  until: at,
  count: 1,
  amount: fill?.amount ?? ZERO,
  notional: fill?.notional ?? ZERO,
  fillsOf: fill?.symbol,
  dueAt: due,
});

// The newest text, because it describes the current state.
const withNews = (line: DigestLine, { text, at, fill }: News): DigestLine => ({
  ...line,
  text,
  until: at,
  count: line.count + 1,
  amount: line.amount + (fill?.amount ?? ZERO),
  notional: line.notional + (fill?.notional ?? ZERO),
});

/** Returns the lines that are due: in quiet hours only alerts. */
export const dueLines = ({ lines }: Digest, now: Millis, isQuiet: boolean): readonly DigestLine[] =>
  lines.filter((line) => !isAhead(line.dueAt, now, AGAIN_AFTER) && (!isQuiet || line.level === "alert"));

/** Returns the digest after all of it was sent. */
export function describedAt({ lines, sentAt: result }: Digest, now: Millis): Digest {
  const all = { ...result, ...Object.fromEntries(lines.filter(isOnce).map(({ key }) => [key, now])) };
  const recent = Object.entries(all).filter(([, at]) => ageOf(at, now) < AGAIN_AFTER);
  return {
    ...NO_DIGEST,
    sentAt: Object.fromEntries(recent.sort(([, a], [, b]) => b - a).slice(0, MOST_LINES_SHOWN)),
  };
}

const isOnce = ({ fillsOf }: DigestLine): boolean => !fillsOf;
