/**
 * A grid on an emulated exchange on a pair so quiet that days and months go by between its fills: beside a process that
 * runs, beside one that does not, and between two grids. What the exchange has executed has to be booked within two
 * passes of its showing it, to the last unit; what it does not tell has to be named.
 */

import { messageOf } from "../../src/kernel/errors.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { createYear, type Year } from "./quiet-year-setup.ts";

export interface QuietYear {
  readonly name: VenueName;
  /** The account is a unified one. */
  readonly unified?: boolean;
  /** In days. */
  readonly gaps: readonly number[];
}

export interface YearReport {
  readonly violations: readonly string[];
  readonly days: number;
  readonly passes: number;
  readonly requests: number;
  readonly executions: number;
  /** Passes from an execution's being shown to its being booked, at the most. */
  readonly slowest: number;
}

/** How far back an exchange tells of executions (sources: the emulators). */
const REACH: Record<VenueName, number> = {
  mexc: 7 * DAY,
  gateio: Number.POSITIVE_INFINITY,
  bitget: 90 * DAY,
  kraken: Number.POSITIVE_INFINITY,
};
/** More than a page of executions, all in one second; on mexc a full one, beyond which it shows nothing of an order. */
const CROWD: Record<VenueName, number> = { mexc: 100, gateio: 1010, bitget: 120, kraken: 60 };
/** Longer than missing trades are waited for. */
const PATIENCE = 12 * MINUTE;

export async function runQuietYear({ name, unified = false, gaps }: QuietYear): Promise<YearReport> {
  const year = await createYear(name, unified);
  try {
    await small(year);
    for (const days of gaps) await runsOn(year, days * DAY);
    for (const days of gaps) await stopsAndStarts(year, days * DAY);
    for (const days of gaps) await isAway(year, days * DAY);
    await unreported(year);
  } catch (error) {
    year.fail(messageOf(error));
  } finally {
    await year.close();
  }
  return year.report();
}

/** What is odd of a fill by itself: dust, more than a page of one second, rewards, shown late. */
async function small(year: Year): Promise<void> {
  const { exchange } = year;
  await year.start();
  const dusty = year.nearest();
  exchange.dust(dusty.id);
  await year.booked("dust");
  year.meet(dusty);
  await year.booked("the rest of an order with dust");

  const crowded = year.nearest();
  year.crowd(crowded, CROWD[year.name]);
  await year.booked("more than a page in one second");
  year.meet(crowded);
  await year.booked("the rest of it");

  exchange.late({ trades: 15_000 });
  year.meetNearest();
  await year.booked("an execution shown late");
  exchange.late({ trades: 0 });

  exchange.earn("ADA");
  year.meet(year.nearest("buy"));
  await year.booked("a fill of what earns rewards");
  await year.rests("what earns rewards");
}

/** A grid that runs all the while. */
async function runsOn(year: Year, gap: number): Promise<void> {
  const what = `after ${gap / DAY} days of nothing`;
  await year.quiet(gap);
  year.meetNearest();
  await year.booked(what);
  await year.rests(what);
}

/** A grid that is stopped; another follows after the gap. */
async function stopsAndStarts(year: Year, gap: number): Promise<void> {
  const what = `of a grid started ${gap / DAY} days after another`;
  // The last fill of the old one, as it stops.
  year.meetNearest();
  await year.stop();
  year.sleep(gap);
  await year.start();
  year.meetNearest();
  await year.booked(what);
}

/** A process that is away for the gap: executions just after it went, and just before it came back. */
async function isAway(year: Year, gap: number): Promise<void> {
  const what = `while nothing ran for ${gap / DAY} days`;
  const old = year.meetNearest(HOUR);
  year.sleep(gap - 2 * HOUR);
  const fresh = year.meetNearest(HOUR);
  year.restart();
  if (gap >= REACH[year.name]) year.mayBeNamed(old);
  await year.booked(`late ${what}`, [fresh]);
  if (gap < REACH[year.name]) await year.booked(`early ${what}`, [old]);
  else await year.bookedOrNamed(`early ${what}`, old, PATIENCE);
  if (await year.isWell()) return;
  // Nobody tells what it was: the grid ends, and another one begins.
  await year.stop();
  await year.start();
}

/** Fees that nobody tells for a while, and fees that nobody ever tells. */
async function unreported(year: Year): Promise<void> {
  const { exchange } = year;
  const first = year.nearest("buy");
  exchange.tellFees(first.id, false);
  year.meet(first);
  await year.named("an order whose fees are not told yet", first);
  exchange.tellFees(first.id, true);
  await year.booked("fees told late", [first]);

  const second = year.nearest("buy");
  exchange.tellFees(second.id, false);
  year.meet(second);
  await year.named("an order whose fees nobody tells", second);
  await year.bookedOrNamed("an order whose fees are estimated", second, PATIENCE);
  await year.end();
}

export const ALL_GAPS: readonly number[] = [1, 8, 31, 95];
