/** The story of docs/a-week.md, day by day. */
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { type Stage, stage } from "./stage.ts";

const PAIR = "--exchange mexc --symbol SNEK/USDT";
/** Passes in which a minute goes by: so often the server looks whether all is well. */
const A_LOOK = 13;

const HEAD = `# A week

This page shows one week with one grid, command by command. The commands are real; the exchange is emulated.
A script sets the prices, the faults and the clock. \`npm run docs\` runs the week again and writes this page.

The laptop sleeps between days, so the report shows a low uptime: the share of the time in which the server ran.`;

/** What a person types and reads in a week. */
export async function week(): Promise<string> {
  const at = await stage({
    start: Date.parse("2026-03-02T09:00:00Z"),
    balances: { USDT: "500", SNEK: "100000" },
    head: HEAD,
    exchanges: ["mexc"],
    symbol: "SNEK/USDT",
  });
  const id = await monday(at);
  await fills(at, id);
  await asleep(at);
  await maintenance(at);
  await refusedKey(at);
  await outOfRange(at, id);
  await stopPrice(at, id);
  await reports(at, id);
  await restart(at);
  return at.page.text();
}

async function monday({ page, venue, ...at }: Stage): Promise<string> {
  page.says("## Monday: keys, a plan, a start");
  page.says(
    "You create the keys at the exchange. They can read and trade, but not withdraw. edgemaker stores them encrypted.",
  );
  await at.types("exchange add mexc", { input: `${venue.keys.key}\n${venue.keys.secret}\n` });
  await at.types("balance --exchange mexc");
  page.says("The preview shows orders, cost and risk. Nothing is placed yet.");
  const grid = `${PAIR} --lower 0.0018 --upper 0.0022 --levels 8 --size 40`;
  await at.types(`grid preview ${grid}`);
  page.says("A second terminal runs the server, which runs passes over every grid.");
  await at.serves();
  await at.terminal(/docs at/);
  const output = await at.types(`grid start ${grid} --yes`);
  await at.passes();
  page.says("The server's terminal shows the start.");
  await at.terminal(/started/);
  await at.types("grid status");
  return /grid-mexc\S+/.exec(output)?.[0] ?? "";
}

async function fills({ page, ...at }: Stage, id: string): Promise<void> {
  page.says("## The first cycle");
  page.says(
    "The price falls to a buy and rises again. The slot bought, sold higher, and placed its buy again.",
  );
  at.price("0.00193");
  await at.passes();
  at.price("0.002");
  await at.passes();
  await at.terminal(/sold/);
  await at.types("grid status");
  await at.types(`grid fills ${id}`);
}

async function asleep({ page, ...at }: Stage): Promise<void> {
  page.says("## Tuesday: the laptop was asleep");
  page.says(
    "The laptop slept until this morning. The orders stayed open at the exchange, and two of them filled.",
  );
  await at.sleeps(at.untilMorning(), () => {
    at.price("0.00188");
    at.price("0.00196");
  });
  await at.passes(A_LOOK);
  await at.terminal(/bought/);
  await at.types("grid status");
}

async function maintenance({ page, venue, ...at }: Stage): Promise<void> {
  page.says("## Wednesday: the exchange is closed for maintenance");
  await at.sleeps(at.untilMorning());
  venue.fail({ kind: "maintenance", times: 1_000_000 });
  await at.passes(2 * A_LOOK);
  await at.types("grid status", { code: 3 });
  page.says("One hour later, the exchange is open again.");
  venue.heal();
  await at.sleeps(HOUR);
  await at.passes(A_LOOK);
  await at.terminal(/stalled/);
  await at.types("grid status");
}

async function refusedKey({ page, venue, ...at }: Stage): Promise<void> {
  page.says("## Thursday: the key is refused");
  page.says("The key was deleted at the exchange.");
  await at.sleeps(at.untilMorning());
  venue.revokeKeys(venue.keys.key);
  await at.passes(A_LOOK);
  await at.types("grid status", { code: 3 });
  await at.types("exchange test mexc", { code: 1 });
  page.says("A new key from the exchange replaces the old one.");
  const { key, secret } = venue.addKeys({ account: venue.account });
  await at.types("exchange add mexc", { input: `${key}\n${secret}\n` });
  await at.passes(2 * A_LOOK);
  await at.types("grid status");
  await at.terminal(/is back/);
}

async function outOfRange({ page, ...at }: Stage, id: string): Promise<void> {
  page.says("## Friday: out of range");
  page.says("The price is above the range. The grid has sold all its base and earns nothing more.");
  await at.sleeps(at.untilMorning(), () => at.price("0.0024"));
  await at.passes(A_LOOK);
  await at.terminal(/range/);
  await at.types("grid status");
  page.says("Move the grid to the price, and set a stop price.");
  await at.types(`grid edit ${id} --lower 0.0022 --upper 0.0026 --stop-loss-price 0.0021 --yes`);
  await at.passes();
  await at.types("grid status");
}

async function stopPrice({ page, ...at }: Stage, id: string): Promise<void> {
  page.says("## Saturday: the stop price");
  page.says("Two buys fill at night. In the morning the price falls through the stop price.");
  await at.sleeps(at.untilMorning(), () => at.price("0.0023"));
  at.price("0.00209");
  await at.passes(A_LOOK);
  await at.terminal(/stopped: stop_loss/);
  await at.types("grid status");
  await at.types(`grid status ${id}`);
  page.says("No grid runs now, so the server can stop.");
  await at.leaves();
}

async function reports({ page, ...at }: Stage, id: string): Promise<void> {
  page.says("## Sunday: the report of the week");
  at.pass(at.untilMorning());
  await at.types("report --week");
  page.says("For the tax return, export every fill, and every sale with its cost.");
  await at.types(`grid fills ${id} --format csv`);
  await at.types("disposals --from 2026-03-01 --to 2026-03-31 --format csv");
}

async function restart({ page, ...at }: Stage): Promise<void> {
  page.says("## A smaller grid, and an update");
  await at.serves();
  await at.terminal(/docs at/);
  await at.types(
    `grid start ${PAIR} --lower 0.0019 --upper 0.0023 --levels 8 --size 20 --use-own-base false --yes`,
  );
  await at.passes();
  await at.terminal(/started/);
  page.says("To install an update, first press Ctrl-C in the server's terminal.");
  await at.leaves();
  page.says("Five minutes later the grid is stalled. Scripts can read this from exit code 3.");
  at.pass(5 * MINUTE);
  await at.types("grid status", { code: 3 });
  await at.serves();
  await at.passes();
  await at.terminal(/takes over/);
  const list = await at.types("grid list");
  page.says("Stop the grid.");
  await at.types(`grid stop ${/grid-mexc\S+/.exec(list)?.[0]} --yes`);
  await at.leaves();
}
