import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import { NO_DIGEST } from "../../src/model/channel.ts";
import type { News } from "../../src/model/news.ts";
import { isQuietHour, parseQuiet } from "../../src/notify/channels.ts";
import { describedAt, dueLines, takeIn } from "../../src/notify/operations/deliver.ts";
import { passesSucceeded } from "../../src/notify/operations/heartbeat.ts";
import { d } from "../support/grid.ts";

const NOW = 20_000 * DAY;
const news = (over: Partial<News> = {}): News => ({
  key: "k",
  level: "warning",
  text: "it",
  at: NOW,
  ...over,
});
const taking = (all: readonly News[], now = NOW, before = NO_DIGEST) =>
  takeIn(before, all, { minLevel: "info", now });

describe("the news that a channel collects", () => {
  it("counts what no longer fits, but keeps every alert", () => {
    const many = Array.from({ length: 25 }, (_, i) => news({ key: `k${i}` }));
    const { lines, more } = taking([...many, news({ key: "alarm", level: "alert" })]);
    expect([lines.length, more, lines.at(-1)?.key]).toEqual([21, 5, "alarm"]);
  });

  it("sends a warning at once, however many lines of information came before", () => {
    const routine = Array.from({ length: 20 }, (_, i) => news({ key: `k${i}`, level: "info" }));
    const { lines, more } = taking([...routine, news({ key: "lost" })]);
    expect(lines.filter(({ level }) => level === "warning").map(({ key }) => key)).toEqual(["lost"]);
    expect([lines.length, more]).toEqual([20, 1]);
  });

  it("counts each event of a line that no longer fits", () => {
    const routine = Array.from({ length: 20 }, (_, i) => news({ key: `k${i}`, level: "info" }));
    const often = [news({ key: "k19", level: "info" }), news({ key: "k19", level: "info" })];
    const { lines, more } = taking([...routine, ...often, news({ key: "lost" })]);
    expect([lines.length, lines.some(({ key }) => key === "k19"), more]).toEqual([20, false, 3]);
  });

  it("counts alerts that no longer fit, and keeps them rather than warnings", () => {
    const warnings = Array.from({ length: 20 }, (_, i) => news({ key: `w${i}` }));
    const alerts = Array.from({ length: 45 }, (_, i) => news({ key: `a${i}`, level: "alert" }));
    const { lines, more } = taking([...warnings, ...alerts]);
    expect([lines.length, more]).toEqual([40, 25]);
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(["alert"]));
  });

  it("adds up the amounts of fills with the same key", () => {
    const fill = { symbol: "BTC/USDT", amount: d("0.5"), notional: d("30000") } as const;
    expect(taking([news({ fill }), news({ fill }), news({ fill })]).lines).toMatchObject([
      { count: 3, amount: d("1.5"), notional: d("90000") },
    ]);
  });

  it("sends news that was just sent again after ten minutes, and not later", () => {
    const sent = describedAt(taking([news()]), NOW);
    const { lines } = taking([news()], NOW + MINUTE, sent);
    expect(lines[0]?.dueAt).toBe(NOW + 10 * MINUTE);
  });

  it("remembers the newest fifty keys that were sent in the last ten minutes, and no fills", () => {
    const all = Array.from({ length: 60 }, (_, i) => [`k${i}`, NOW - 9 * MINUTE + i]);
    const before = { ...NO_DIGEST, sentAt: Object.fromEntries([["old", NOW - 11 * MINUTE], ...all]) };
    const fill = { symbol: "BTC/USDT", amount: d("1"), notional: d("1") } as const;
    const { sentAt, lines } = describedAt(
      taking([news({ key: "new" }), news({ key: "f", fill })], NOW, before),
      NOW,
    );
    expect(Object.keys(sentAt)).toEqual(["new", ...Array.from({ length: 49 }, (_, i) => `k${59 - i}`)]);
    expect([sentAt.new, lines]).toEqual([NOW, []]);
  });

  it("sends alerts also in quiet hours, and nothing else", () => {
    const digest = taking([news(), news({ key: "alarm", level: "alert" })]);
    expect(dueLines(digest, NOW, true).map(({ key }) => key)).toEqual(["alarm"]);
    expect(dueLines(digest, NOW, false)).toHaveLength(2);
  });
});

describe("quiet hours", () => {
  it("are those of their time zone, also across midnight", () => {
    const hours = parseQuiet("22:00-07:00 Asia/Tokyo") ?? null;
    // Tokyo is nine hours ahead of UTC.
    const quiet = [0, 6, 12, 13, 14, 21, 22].map((hour) => isQuietHour(hours, NOW + hour * HOUR));
    expect(quiet).toEqual([false, false, false, true, true, true, false]);
  });
});

it("a round is good only if every pass was", () => {
  const outcomes = (...all: readonly string[]) =>
    passesSucceeded(all.map((outcome) => ({ outcome })) as never);
  expect([outcomes(), outcomes("stepped", "busy"), outcomes("stepped", "failed")]).toEqual([
    true,
    true,
    false,
  ]);
});
