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
    says: "`--use-own-base`: slots above the price sell base that is already in your account. Without it, the grid leaves your base alone.",
  },
  {
    title: "Buy base at the start",
    flags: "--initial-buy",
    says: "`--initial-buy`: the grid buys the base for all slots above the price at once, and pays the taker fee for it. It then trades on both sides.",
  },
  {
    title: "Equal ratios",
    flags: "--spacing-model geometric",
    says: "`--spacing-model geometric`: levels are apart by the same percentage instead of the same price difference. Choose it for a wide range.",
  },
  {
    title: "A fixed distance",
    flags: "--spacing 500",
    says: "`--spacing`: levels are this far apart in quote, starting at the lowest one. The grid can end below the upper price.",
  },
  {
    title: "Take orders",
    flags: "--post-only false",
    says: "`--post-only false`: an order that would fill at once is sent anyway, and pays the taker fee. By default it waits.",
  },
  {
    title: "Keep quote back",
    flags: "--safety-reserve 0.3",
    says: "`--safety-reserve`: buys do not use this share of the grid's capital.",
  },
  {
    title: "Limit the base",
    flags: "--max-position 0.5",
    says: "`--max-position`: the base of the grid can cost at most this share of its capital. Above it, buys wait.",
  },
  {
    title: "Wait for confidence",
    flags: "--confidence 0.6",
    says: "`--confidence`: the grid places nothing while this exchange's price is far from the price of the others. 1 means that they agree.",
  },
  {
    title: "Reinvest the profit",
    flags: "--reinvest 0.5",
    says: "`--reinvest`: each new buy grows by [this share of the realized profit](grids.md#reinvest-the-profit). There is no profit yet, so the first orders stay the same.",
  },
  {
    title: "Follow the price",
    flags: "--trail-up 69000",
    says: "`--trail-up`: if the price leaves the range upward, the grid moves its levels after it, at most to this upper price. `--trail-down` does the same downward. A grid that follows downward sells nothing at a loss, and buys more.",
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
    says: "`--stop-at-once`: one price beyond the stop price is enough. By default two passes, five seconds apart, have to read it.",
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
    says: "`--spacing-model geometric`, `--spacing-factor`: each gap is 1.5 times the gap before it.",
  },
  {
    title: "Growing orders",
    flags: "--size-model pyramidal",
    says: "`--size-model pyramidal`: orders further from the price are larger.",
  },
  {
    title: "React to volatility",
    flags: "--volatility --volatility-low 0.02 --volatility-high 0.05",
    says: "`--volatility`, `--volatility-low`, `--volatility-high`: in a volatile market, the gaps grow up to twice their size.",
  },
];

const HEAD = `# Every option of a grid

This page shows each option of a grid, and what it changes in the plan. A test runs every command against an emulated exchange at
60,000 USDT, and compares the output. Lines with \`-\` are the plan without the option, lines with \`+\` the plan with it.

Options can be combined. They have the same names in \`grid start\`, \`grid preview\` and \`backtest grid\`; over HTTP and on the page
they have the same meaning. You can change most of them later with \`grid edit\`.`;

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
  at.page.says(`## Options of the account
| option | effect |
|---|---|
| \`--dry-run\`, \`--dry-balance\` | [Paper trading](paper-trading.md) |
| \`--allow-loss\` | Accepts a grid whose cycles lose money after fees |
| \`--name\` | Names the grid for lists, alerts and commands |
| \`--plan-hash\` | Starts only the plan of this preview |

Next: [grids](grids.md) · [when a grid loses](when-a-grid-loses.md) · [all flags](cli.md)`);
  return at.page.text();
}

async function centered(at: Stage): Promise<void> {
  at.page.says(`## A grid around the price
A *centered* grid has levels on both sides of the market price, and no range. If the price moves past the outermost level by
\`--deviation\`, the grid cancels its orders and places them around the new price. Fills and profit stay. \`edgemaker trade\` runs it in
the terminal, \`start centered\` on the server.

It always has orders near the price. Its price is that a new center makes a loss final: base that it bought higher up can be sold
lower. \`--allow-loss false\`, the default, sells at or above cost.`);
  await section(at, "preview centered", CENTERED, AROUND);
  at.page.says(`### A profile file
A profile is a JSON file with the shape of a centered grid. Use it to share a shape, or to have gaps and sizes that no model gives.
Its values override the flags.`);
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
| \`name\`, \`description\` | | for you |
| \`levels\` | \`--levels\` | levels on each side |
| \`spacingModel\`, \`baseSpacing\`, \`spacingFactor\` | \`--spacing-model\`, \`--spacing\`, \`--spacing-factor\` | how the gaps grow |
| \`customSpacings\` | | one distance from the center for each level, as a share of the price; needs the model \`custom\` |
| \`sizeModel\`, \`baseSize\` | \`--size-model\`, \`--size\` | how the orders grow |
| \`sizeWeights\` | | one factor of the size for each level; needs the model \`custom\` |`);
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
