import { text } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { pluralize } from "../kernel/pluralize.ts";
import { type Millis, stampOf } from "../kernel/time.ts";
import {
  ALERT_LEVELS,
  type AlertLevel,
  type Digest,
  type DigestLine,
  type Message,
} from "../model/channel.ts";

/** Formats everything in a digest as one message. */
export function digestMessage({ lines, more }: Digest, { id, now }: { id: string; now: Millis }): Message {
  const sorted = [...lines].sort((a, b) => rank(b.level) - rank(a.level) || a.at - b.at);
  const level = sorted[0]?.level ?? "info";
  return {
    id,
    kind: "news",
    level,
    title: titleOf(sorted, level),
    lines: [...sorted.map(lineText), ...(more > 0 ? [`… and ${more} more; see the events`] : [])],
    at: now,
  };
}

const rank = (level: AlertLevel): number => ALERT_LEVELS.indexOf(level);

function titleOf(lines: readonly DigestLine[], level: AlertLevel): string {
  const highest = lines.filter((line) => line.level === level && !line.fillsOf);
  const fills = lines.filter(({ fillsOf }) => fillsOf).reduce((sum, { count }) => sum + count, 0);
  const [first] = highest;
  if (!first) return `edgemaker: ${pluralize(fills, "fill")}`;
  const others = highest.length > 1 ? ` (and ${highest.length - 1} more)` : "";
  return `edgemaker ${level}: ${first.text}${others}`.slice(0, 200);
}

/** `01-31 23:59:59`, in UTC. */
const clockText = (at: Millis): string => stampOf(at).slice(5, 19).replace("T", " ");

function lineText(line: DigestLine): string {
  const at = clockText(line.at);
  const mark = line.level === "info" ? "" : `${line.level}: `;
  if (!line.fillsOf) return `${at} ${mark}${line.text}${line.count > 1 ? ` (${line.count} times)` : ""}`;
  const times = line.count > 1 ? ` in ${line.count} fills` : "";
  const { base, quote } = splitPair(line.fillsOf);
  return `${at} ${line.text} ${text(line.amount)} ${base} for ${text(line.notional)} ${quote}${times}`;
}
