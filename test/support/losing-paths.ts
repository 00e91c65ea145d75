import { backtest } from "../../src/backtest/run/backtest.ts";
import { candlesIn } from "../../src/candles/candles.ts";
import { type Decimal, decimal, ONE, text, wire, ZERO } from "../../src/kernel/decimal.ts";
import { HOUR } from "../../src/kernel/time.ts";
import { market } from "./grid.ts";

const START = 1_640_995_200_000;

interface Path {
  readonly title: string;
  readonly says: string;
  readonly prices: readonly number[];
  readonly lower: string;
  readonly upper: string;
  readonly levels: number;
  readonly initialBuy?: boolean;
  readonly lesson: (outcome: ReturnType<typeof outcomeOf>) => string;
}

const PATHS: readonly Path[] = [
  {
    title: "1. The price falls, and stays there",
    says: "The price starts at 60,000 USDT. The grid buys at 59,000, 58,000, 57,000 and 56,000 USDT.",
    prices: [60_000, 58_900, 60_100, 58_900, 57_900, 56_900, 55_900, 54_000],
    lower: "56000",
    upper: "60000",
    levels: 4,
    lesson: ({ realized, total, position, cost }) =>
      `The cycle earned ${realized} USDT. The four buys after it have not sold yet: the grid holds ${position} BTC that cost ${cost} USDT with
fees. At 54,000 USDT, this BTC is worth less, so the total is ${total} USDT. Realized P&L is positive, but total P&L is negative.

**What helps:** a stop price, which realizes this loss and prevents a larger one; a wider range with smaller orders; a budget that
you can afford to lose. No setting makes a grid earn in a market that only falls.`,
  },
  {
    title: "2. The price rises out of the range",
    says: "The grid starts at 58,000 USDT, buys the base for its two upper slots at once, and sells it on the way up.",
    prices: [58_000, 59_100, 58_900, 60_100, 62_000, 64_000],
    lower: "56000",
    upper: "60000",
    levels: 4,
    initialBuy: true,
    lesson: ({ total, holding }) =>
      `The grid earned ${total} USDT, and then it had nothing left to sell. If you buy BTC with the same money at the start and hold it, you
earn ${holding} USDT. The grid did not lose money, but it earned less than the simplest alternative.

**What helps:** let the grid [follow the price](grid-options.md#follow-the-price), or use a wider range. Following has a drawback: the grid
buys again at higher prices.`,
  },
  {
    title: "3. The price swings, and fees exceed the profit",
    says: "The levels are 100 USDT apart, which is 0.17 %. Two fees of 0.1 % cost 0.2 %. The price swings around 60,000.",
    prices: [60_000, 59_890, 60_110, 59_890, 60_110],
    lower: "59800",
    upper: "60200",
    levels: 4,
    lesson: ({ cycles, realized }) =>
      `The grid completed ${cycles} cycles, as planned. Together they realized ${realized} USDT, because the fees were larger than the price
difference between the levels. Each further cycle adds a loss.

**What helps:** fewer levels. The plan shows the profit of a cycle after fees as \`each cycle\`. The command line, the page and the
tools for agents refuse a grid whose cycles lose money, unless you allow it (\`--allow-loss\`). The HTTP API refuses such a grid only if you send
\`"allowLoss": false\`.`,
  },
];

const shown = (value: Decimal): string => wire(value).toFixed(2).replace("-", "−");

function outcomeOf({ prices, lower, upper, levels, initialBuy }: Path) {
  const price = Float64Array.from(prices);
  const times = price.map((_, at) => START + at * HOUR);
  const columns = { times, open: price, high: price, low: price, close: price, volume: price.map(() => 1) };
  const grid = {
    lowerPrice: decimal(lower),
    upperPrice: decimal(upper),
    gridLevels: levels,
    orderSize: decimal("50"),
    useOwnBase: false,
    ...(initialBuy ? { initialBuy } : {}),
  };
  const { figures, run } = backtest(
    grid,
    candlesIn({ pair: "BTC/USDT", spanMillis: HOUR, scale: 0, ...columns }),
    {
      market: market(),
    },
  );
  const fills = run.fills.newest(run.fills.count);
  const { ledger } = run.account.strategy.state;
  return {
    fills,
    realized: shown(figures.realized),
    total: shown(figures.total),
    holding: shown(figures.holdingBase),
    unrealized: shown(figures.total - figures.realized),
    cycles: ledger.cycles,
    position: text(figures.position),
    cost: shown(((figures.averageCost ?? ZERO) * figures.position) / ONE),
  };
}

/** docs/when-a-grid-loses.md */
export function losingPathsPage(): string {
  const parts = PATHS.map((path) => {
    const outcome = outcomeOf(path);
    const rows = outcome.fills.map(
      ({ side, price, amount }) =>
        `| ${side} | ${text(price)} | ${text(amount)} | ${shown((price * amount) / ONE)} |`,
    );
    return `## ${path.title}
${path.says}

Prices: ${path.prices.map((price) => price.toLocaleString("en-US")).join(" → ")} USDT

| fill | price | BTC | USDT |
|---|---|---|---|
${rows.join("\n")}

| cycles | realized | unrealized | total | buy and hold |
|---|---|---|---|---|
| ${outcome.cycles} | ${outcome.realized} | ${outcome.unrealized} | ${outcome.total} | ${outcome.holding} |

${path.lesson(outcome)}
`;
  });
  return `# When a grid loses

This page shows three price paths on which a grid loses, or earns less than buy and hold. Buy and hold uses
the same capital as the grid, and pays no fee.
Each grid has four slots of 50 USDT and a fee of 0.1 % per fill. The figures come from backtests: \`npm run docs\` computes them again,
and a test checks them. Amounts are in USDT.

${parts.join("\n")}
## What this means
- A grid earns a little on each swing. It loses when the price falls below its range and stays there.
- Compare **total P&L with buy and hold**, never the number of cycles.
- [Three backtests over a month](grids.md#what-a-grid-can-earn) show the same with 20 slots.

Next: [how a strategy ends](grids.md#how-a-strategy-ends) · [every option of a grid](grid-options.md) · [backtest](backtest.md)
`;
}
