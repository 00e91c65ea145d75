import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { profitOf } from "../../src/grid/booking.ts";
import { asGridView, type GridStrategy } from "../../src/grid/state/state.ts";
import { type Decimal, decimal, roundToStep, text, ZERO } from "../../src/kernel/decimal.ts";
import { pluralize } from "../../src/kernel/plain-text.ts";
import type { Fill } from "../../src/model/order.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { StrategyView } from "../../src/ports/stores/store.ts";
import { dataDirectory } from "../host/directories.ts";
import { onEndSignal } from "../host/end-signals.ts";
import { findServer } from "../host/running-servers.ts";
import { wholeFlag } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { type Serving, startServer } from "./serve.ts";

/** The demo's market, the same for everybody: ten hours in a minute. */
const MARKET = {
  sandbox: true,
  speed: "600",
  "tick-interval": "500",
  origin: "2026-01-01T00:00:00Z",
} as const;

/** Interval of passes, which gives the usual interval in market time. */
const LONG_PASSES = { "tick-interval": "300000" } as const;

/** The exchange of the grid, if the settings have it. */
const DEMO_EXCHANGE = "kraken";

const GRID = {
  symbol: "BTC/USDT",
  lowerPrice: decimal("58000"),
  upperPrice: decimal("62000"),
  gridLevels: 20,
  orderSize: decimal("500"),
} as const;

/** Number of next ports to try if the default port is in use and no port was requested. */
const PORTS_AROUND = 20;

/** Serves a sandbox on a new database, starts a grid, and prints its fills and P&L. Returns the exit code. */
export async function runDemo(values: Values): Promise<number> {
  const folder = dataDirectory(process.env);
  const file = join(folder, "demo.db");
  const running = await findServer(folder, `file:${file}`);
  if (running)
    throw new Error(
      `a demo runs at ${running.url} (process ${running.pid}); end it first, because each demo replaces the database`,
    );
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  const seconds = wholeFlag(values, "seconds", { default: undefined, max: 86_400 });
  const serving = await startServer(
    { ...MARKET, ...(values.speed === "max" ? LONG_PASSES : {}), ...values, db: `file:${file}` },
    { around: values.port === undefined ? PORTS_AROUND : 0 },
  );
  try {
    await showGrid(serving, values, { file, seconds });
  } finally {
    serving.stop();
    await serving.stopped;
  }
  return 0;
}

interface Show {
  /** The database. */
  readonly file: string;
  /** Duration; until Ctrl-C without one. */
  readonly seconds: number | undefined;
}

/** Starts a grid, and prints its fills until the end of the demo. */
async function showGrid(
  { deps, url, boundText, newLink }: Serving,
  { speed = MARKET.speed }: Values,
  { file, seconds }: Show,
): Promise<void> {
  const ids = deps.exchanges.map((info) => info.id);
  const start = createOperations(ids).find(({ name }) => name === "start_grid");
  if (!start) throw new Error("there is no operation start_grid");
  const exchange = ids.includes(DEMO_EXCHANGE) ? DEMO_EXCHANGE : ids[0];
  const { id } = (await start.run(deps, { ...GRID, exchange }, { actor: "local" })) as { id: string };

  say(
    `edgemaker demo: simulated exchanges, ${speed === "max" ? "maximum speed" : `${speed} × real time`}, no keys, no money`,
  );
  // Not in a log, where somebody else could read it first.
  if (process.stdout.isTTY) say(`  page    ${await newLink()} (this link works once)`);
  say(`  API     ${url}  docs: ${url}/docs`);
  if (boundText) say(`  listening on ${boundText}`);
  say(`  status  npx edgemaker grid status --sandbox --db file:${file}`);
  say(
    `  grid    ${id}: ${GRID.gridLevels} slots from ${text(GRID.lowerPrice)} to ${text(GRID.upperPrice)} USDT, ${text(GRID.orderSize)} USDT per order\n`,
  );
  const over = new AbortController();
  if (process.stdin.isTTY && process.stdout.isTTY) offerPage(newLink);
  onEndSignal(() => over.abort());
  if (seconds !== undefined) setTimeout(() => over.abort(), seconds * 1000).unref();
  await tellProgress(deps, id, over.signal);
  await sayEnd(deps, id, file);
}

/** Prints where the demo has ended, and why if that is a loss. */
async function sayEnd(deps: Deps, id: string, file: string): Promise<void> {
  const [last] = await deps.store.strategies({ id });
  if (last)
    say(
      `\nThe demo is over.\n${describeGrid(asGridView(last))}\n${explainLoss(asGridView(last))}  database: ${file} (replaced by the next demo)`,
    );
}

/** Opens the page each time the user presses Enter, by a new link. */
function offerPage(newLink: () => Promise<string>): void {
  say("  Press Enter to open the page. Press Ctrl-C to end the demo.\n");
  process.stdin.on("data", () => void newLink().then(openBrowser, () => undefined));
  // The demo ends although the terminal stays open.
  process.stdin.unref();
}

/** Explains a loss at the end of the demo, in one line; otherwise returns no text. */
export function explainLoss({ strategy: { state, symbol }, memory }: StrategyView<GridStrategy>): string {
  const price = memory.marks[symbol]?.mid ?? state.startPrice;
  const { total, realized, position, averageCost } = profitOf(state, price);
  if (total >= ZERO || averageCost === null) return "";
  const lots = `the grid holds ${text(position)} BTC, bought at ${toCents(averageCost)} USDT on average`;
  return `  Why a loss? The price is ${toCents(price)} USDT, and ${lots}. Its sells earned ${toCents(realized)} USDT. A grid loses in a market that moves one way, and earns in one that swings.\n`;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints each fill with the P&L so far, and each change of the phase. */
async function tellProgress(deps: Deps, id: string, over: AbortSignal): Promise<void> {
  const result = new Set<string>();
  let phase = "";
  while (!over.aborted) {
    const [view] = await deps.store.strategies({ id });
    const newest = await deps.store.fillsOf(id, { limit: 1000 });
    const fresh = newest.filter(({ tradeId }) => !result.has(tradeId)).reverse();
    for (const fill of fresh) {
      result.add(fill.tradeId);
      say(describeFill(fill));
    }
    if (view && (fresh.length > 0 || view.strategy.phase !== phase)) say(describeGrid(asGridView(view)));
    phase = view?.strategy.phase ?? "";
    await deps.local.sleep(250);
  }
}

const toCents = (amount: Decimal): string => text(roundToStep(amount, decimal("0.01"), "half"));

const describeFill = ({ at, side, amount, price, fees }: Fill): string =>
  `  ${new Date(at).toISOString().slice(0, 19).replace("T", " ")}  ${side === "buy" ? "bought" : "sold  "} ${text(amount)} BTC at ${text(price)}, fee ${fees.map((fee) => `${toCents(fee.amount)} ${fee.asset}`).join(", ")}`;

function describeGrid({ strategy, openOrders, memory }: StrategyView<GridStrategy>): string {
  const { cycles, filledOrders } = strategy.state.ledger;
  const mark = memory.marks[strategy.symbol];
  const profit = profitOf(strategy.state, mark?.mid ?? strategy.state.startPrice);
  const counts = `${pluralize(openOrders, "open order")}, ${filledOrders} filled, ${pluralize(cycles, "cycle")}`;
  return `  ${strategy.phase}: ${counts}; realized P&L ${toCents(profit.realized)} USDT, total ${toCents(profit.total)}`;
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a link in the user's browser; without one, nothing happens. */
function openBrowser(link: string): void {
  const [program = "xdg-open", ...words] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...words, link], { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
}
