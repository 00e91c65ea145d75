import { div, roundToStep, text } from "../../src/kernel/decimal.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { NewsCursor } from "../../src/model/channel.ts";
import type { ReportableFill } from "../../src/model/news.ts";
import { eventNews, fillNews } from "../../src/notify/news.ts";
import type { NotifyDeps } from "../../src/notify/operations/deliver.ts";
import { rounds } from "./running-servers.ts";

const NEWS_PER_READ = 200;
/** Precision of a price that is computed from a fill's two amounts. */
const READABLE = 10n ** 10n;

/** Prints a line for each event to the server's terminal until it is stopped. */
export function signsOfLife(
  { notify }: Pick<NotifyDeps, "notify">,
  every: number,
  say: (line: string) => void,
) {
  if (!notify) return { stop: async () => undefined };
  let cursor: NewsCursor | undefined;
  return rounds(every, async () => {
    // Passes log this failure; the next round prints the news.
    const news = await notify.store.newsAfter(cursor, NEWS_PER_READ).catch(() => undefined);
    if (!news) return;
    cursor = news.cursor;
    const results = news.events.flatMap((event) => eventNews(event) ?? []);
    const booked = news.fills.filter(({ isSuperseded }) => !isSuperseded);
    const lines = [...results, ...booked.map((fill) => ({ at: fill.at, text: formatFill(fill) }))];
    for (const { at, text: line } of lines.sort((a, b) => a.at - b.at)) say(`${secondOfDay(at)} ${line}`);
  });
}

function formatFill(fill: ReportableFill): string {
  const { base, quote } = splitPair(fill.symbol);
  const price =
    fill.amount > 0n ? roundToStep(div(fill.notional, fill.amount, "half"), READABLE, "half") : 0n;
  const what = `${fillNews(fill).text.split(":")[0]}: ${fill.side === "buy" ? "bought" : "sold"}`;
  return `${what} ${text(fill.amount)} ${base} at ${text(price)} ${quote}`;
}

const secondOfDay = (at: Millis): string => new Date(at).toISOString().slice(11, 19);
