import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { minutesFrom } from "../support/minutes.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];
const PAIR = "BTC/USDT";

/** What each tells at most of the past, counted in candles; bitget and mexc have all of it. */
const REACH: Partial<Record<VenueName, number>> = { gateio: 9_990, kraken: 720 };

describe.each(NAMES)("candles of %s since a time", (name) => {
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  let venue: Venue;
  let now: number;
  const DAYS = 35;

  beforeAll(async () => {
    setup = await emulatedExchanges({ names: [name] });
    now = Math.floor(setup.time.now() / MINUTE) * MINUTE;
    setup
      .exchange(name)
      .past(
        PAIR,
        minutesFrom(now - DAYS * DAY, DAYS * 1440 + 1, { holes: (minute) => minute % 1000 === 17 }),
      );
    venue = setup.deps.venue(name);
  });
  afterAll(() => setup.close());

  const minutesOf = async (since: number, limit: number) =>
    (await venue.candles(PAIR, { span: MINUTE, since, limit })).map(({ at }) => (at - since) / MINUTE);
  const without = (hole: (minute: number) => boolean, count: number) =>
    Array.from({ length: count }, (_, minute) => minute).filter((minute) => !hole(minute));

  it("are complete, in order and without duplicates", async () => {
    const since = now - 700 * MINUTE;
    const first = DAYS * 1440 - 700;
    const expected = without((minute) => (minute + first) % 1000 === 17, 700);
    // Of the one that begins this moment some tell, and others do not yet.
    expect((await minutesOf(since, 1000)).filter((minute) => minute < 700)).toEqual(expected);
  });

  it("are the first ones if fewer are requested", async () => {
    expect(await minutesOf(now - 600 * MINUTE, 5)).toEqual([0, 1, 2, 3, 4]);
  });

  it("from weeks ago are returned if the exchange still has them", async () => {
    const old = 34 * DAY;
    if (REACH[name]) {
      expect(venue.candleReach).toBe(REACH[name]);
      return;
    }
    const first = (DAYS - 34) * 1440;
    const expected = without((minute) => (minute + first) % 1000 === 17, 1000);
    expect(await minutesOf(now - old, 1000)).toEqual(expected);
    expect(venue.candleReach).toBeUndefined();
  });

  it("are the newest ones without a time, as many as requested", async () => {
    const newest = await venue.candles(PAIR, { span: MINUTE, limit: 1000 });
    const times = newest.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(now - (times.at(-1) ?? 0)).toBeLessThanOrEqual(MINUTE);
    expect(times).toHaveLength(Math.min(REACH[name] ?? 1000, 1000));
  });

  it("are none before the pair was listed", async () => {
    if (REACH[name]) return;
    expect(await minutesOf(now - (DAYS + 3) * DAY, 1000)).toEqual([]);
  });
});
