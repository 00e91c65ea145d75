/** The story of docs/grid-options.md: one plan, and what each option changes in it. */
import { type Stage, stage } from "./stage.ts";

const BASE = "--exchange mexc --symbol BTC/USDT --lower 57000 --upper 63000 --levels 6 --size 50";
const CENTERED = "--exchange mexc --symbol BTC/USDT --levels 3 --spacing 0.01 --size 50";

interface Option {
  readonly title: string;
  readonly flags: string;
  readonly says: string;
}

const LEVELS: readonly Option[] = [
  {
    title: "Sell base that you own",
    flags: "--use-own-base",
    says: "`--use-own-base`: slots above the price sell base that is already in your account. By default, the grid does not touch that base.",
  },
  {
    title: "Buy base at the start",
    flags: "--initial-buy",
    says: "`--initial-buy`: at the start, the grid buys the base for all slots above the price, and pays the taker fee. The grid then trades on both sides.",
  },
  {
    title: "Equal ratios",
    flags: "--spacing-model geometric",
    says: "`--spacing-model geometric`: neighboring levels differ by the same percentage instead of the same amount. Choose this option for a wide range.",
  },
  {
    title: "A fixed distance",
    flags: "--spacing 500",
    says: "`--spacing`: distance between levels in quote, starting at the lowest level. The highest level can be below `--upper`.",
  },
  {
    title: "Allow taker orders",
    flags: "--post-only false",
    says: "`--post-only false`: an order that would fill at once does so, and pays the taker fee. By default, a buy rests at the best bid instead, and a sell at the best ask.",
  },
  {
    title: "Reserve quote",
    flags: "--safety-reserve 0.3",
    says: "`--safety-reserve`: buys do not use this share of the grid's capital.",
  },
  {
    title: "Limit the base",
    flags: "--max-position 0.5",
    says: "`--max-position`: the base that the grid holds can cost at most this share of the grid's capital. Buys beyond this limit wait.",
  },
  {
    title: "Wait for confidence",
    flags: "--confidence 0.6",
    says: "`--confidence`: the grid places no orders below this price confidence. Confidence is 1 if this exchange's price equals the median of other exchanges, and 0 if the difference is 5 % or more.",
  },
  {
    title: "Reinvest the profit",
    flags: "--reinvest 0.5",
    says: "`--reinvest`: the grid adds [this share of its realized profit](grids.md#reinvest-the-profit) to its next buys. A new grid has no profit, so its first orders are the same.",
  },
  {
    title: "Follow the price",
    flags: "--trail-up 69000",
    says: "`--trail-up`: if the price rises above the range, the grid moves its levels up, with the highest level at most at this price. `--trail-down` does the same downward. A grid that moves down sells nothing at a loss, and buys more base.",
  },
];

const ENDINGS: readonly Option[] = [
  {
    title: "Stop at a price",
    flags: "--stop-loss-price 55000 --take-profit-price 65000",
    says: "`--stop-loss-price`, `--take-profit-price`: at one of these prices, the grid cancels its orders, sells its base, and stops.",
  },
  {
    title: "Stop at once",
    flags: "--stop-loss-price 55000 --stop-at-once",
    says: "`--stop-at-once`: one pass with a price beyond the stop price is enough. By default, two passes at least five seconds apart must read such a price.",
  },
  {
    title: "Stop below the highest price",
    flags: "--trailing-stop-percent 10",
    says: "`--trailing-stop-percent`: the stop price is this far below the highest price since the start.",
  },
  {
    title: "Stop at a loss",
    flags: "--max-loss 20",
    says: "`--max-loss`: beyond this loss in quote, the grid places nothing until you resume it. It keeps its base.",
  },
  {
    title: "End at a time",
    flags: "--ends-at 2026-03-09T09:00:00Z --on-end sell",
    says: "`--ends-at`: the grid ends at this time and keeps its base. With `--on-end sell`, it sells the base.",
  },
  {
    title: "Start at a price",
    flags: "--trigger-price 58000",
    says: "`--trigger-price`: the grid waits, and places its orders when the market reaches this price.",
  },
];

const AROUND: readonly Option[] = [
  {
    title: "Growing gaps",
    flags: "--spacing-model geometric --spacing-factor 1.5",
    says: "`--spacing-model geometric`, `--spacing-factor`: each gap is this factor (here 1.5) times the gap before it.",
  },
  {
    title: "Larger orders near the price",
    flags: "--size-model pyramidal",
    says: "`--size-model pyramidal`: the nearer an order is to the price, the larger it is.",
  },
  {
    title: "React to volatility",
    flags: "--volatility --volatility-low 0.02 --volatility-high 0.05",
    says: "`--volatility`, `--volatility-low`, `--volatility-high`: gaps grow when volatility exceeds the low value, and are twice as large from the high value on.",
  },
];

const HEAD = `# Every option of a grid

This page shows each option of a grid, and what it changes in the plan. A test runs every command against an emulated exchange at
60,000 USDT, and compares the output. Lines with \`-\` show the plan without the option; lines with \`+\` show it with the option.

You can combine options. They have the same names in \`grid start\`, \`grid preview\` and \`backtest grid\`, and the same meaning over HTTP
and on the page. You can change most options later with \`grid edit\`.`;

/** What the plan of each option looks like, beside the plan without it. */
export async function gridOptions(): Promise<string> {
  const at = await stage({
    start: Date.parse("2026-03-02T09:00:00Z"),
    balances: { USDT: "2000", BTC: "0.1" },
    head: HEAD,
    exchanges: ["mexc"],
    symbol: "BTC/USDT",
  });
  const { key, secret } = at.venue.keys;
  await at.prepares("exchange add mexc", `${key}\n${secret}\n`);
  at.page.says("## A grid between two prices");
  await section(at, "grid preview", BASE, LEVELS);
  at.page.says("## How it ends");
  await compared(at, "grid preview", BASE, ENDINGS);
  await centered(at);
  at.page.says(`## Other options
| option | effect |
|---|---|
| \`--dry-run\`, \`--dry-balance\` | [Paper trading](paper-trading.md) |
| \`--allow-loss\` | Accepts a grid whose cycles lose money after fees |
| \`--name\` | Names the grid for lists, alerts and commands |
| \`--plan-hash\` | Starts exactly the plan with this hash, or nothing |

Next: [grids](grids.md) · [when a grid loses](when-a-grid-loses.md) · [all flags](cli.md)`);
  return at.page.text();
}

async function centered(at: Stage): Promise<void> {
  at.page.says(`## A grid around the price
A *centered* grid has levels on both sides of the market price, and no range. If the price moves past the outermost level by
\`--deviation\`, the grid cancels its orders and places them around the new price. Its profit and base carry over. \`edgemaker trade\` runs
a centered grid in the terminal; \`edgemaker start centered\` runs it on the server.

A centered grid always has orders near the price. With \`--allow-loss\`, it can sell base around a lower center for less than it paid,
which realizes a loss. By default, it sells at or above cost.`);
  await section(at, "preview centered", CENTERED, AROUND);
  at.page.says(`### A profile file
A profile is a JSON file with the shape of a centered grid. Use it to share a shape, or to set gaps and sizes that no model produces.
The values in the file override the flags.`);
  at.writes(
    "calm.json",
    JSON.stringify(
      {
        name: "calm",
        levels: 3,
        spacingModel: "custom",
        customSpacings: [0.01, 0.015, 0.03],
        sizeModel: "custom",
        baseSize: 50,
        sizeWeights: [1, 1.5, 2],
      },
      null,
      2,
    ),
  );
  await at.compares("preview centered", CENTERED, "--grid-profile calm.json");
  at.page.says(`| field | flag | meaning |
|---|---|---|
| \`name\`, \`description\` | | for your own use; no effect |
| \`levels\` | \`--levels\` | levels on each side |
| \`spacingModel\`, \`baseSpacing\`, \`spacingFactor\` | \`--spacing-model\`, \`--spacing\`, \`--spacing-factor\` | how the gaps grow |
| \`customSpacings\` | | distance of each level from the center, as a share of the center price; requires \`"spacingModel": "custom"\` |
| \`sizeModel\`, \`baseSize\` | \`--size-model\`, \`--size\` | how order sizes change with distance, and the base size in quote |
| \`sizeWeights\` | | multiple of the base size for each level, nearest first; requires \`"sizeModel": "custom"\` |`);
}

async function section(at: Stage, command: string, base: string, options: readonly Option[]): Promise<void> {
  await at.types(`${command} ${base}`);
  await compared(at, command, base, options);
}

async function compared(at: Stage, command: string, base: string, options: readonly Option[]): Promise<void> {
  for (const { title, flags, says } of options) {
    at.page.says(`### ${title}\n${says}`);
    await at.compares(command, base, flags);
  }
}
