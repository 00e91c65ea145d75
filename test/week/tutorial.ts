/** The story of docs/tutorial.md: from the demo to a live grid of 50 USDT, its first cycle, and its end. */
import { type Stage, stage } from "./stage.ts";

const PAIR = "--exchange bitget --symbol BTC/USDT";
const GRID = `${PAIR} --lower 57000 --upper 63000 --levels 10 --size 5`;

const HEAD = `# Tutorial

This page takes you from a demo to a live grid of 50 USDT. **It takes about 40 minutes of work, and waiting:** parts 3 and 5 wait
for the market, from an hour to some days.

| part | minutes | needs |
|---|---|---|
| [1. Watch the demo](#1-watch-the-demo) | 5 | Node 22.15, or 24 and newer |
| [2. Create a key](#2-create-a-key) | 10 | an account at MEXC, Gate, Bitget or Kraken |
| [3. Run a paper grid](#3-run-a-paper-grid) | 10, and waiting | the internet |
| [4. Start a live grid](#4-start-a-live-grid) | 5 | 60 USDT on the exchange |
| [5. Wait for the first cycle](#5-wait-for-the-first-cycle) | waiting | a running server |
| [6. Read the report](#6-read-the-report) | 5 | |
| [7. Stop](#7-stop) | 5 | |

You can stop after each part. Only parts 4 to 7 use real money. No account yet? Skip part 2, because part 3 needs no
key, and stop after part 3. No internet? Add \`--sandbox\` to each command of part 3, use
\`--size 6.3 --levels 8 --dry-balance USDT=60\` there, and start the server with \`serve --sandbox --speed 600\`: its market
is 600 times as fast, so you see fills within a minute.

Open a terminal in the folder of your clone, and type the lines after \`$\` there, without the \`$\`. In a clone, type
\`npx edgemaker\` instead of \`edgemaker\`. A \`\\\` at the end of a line continues the command on the next one. The lines below a
command are its output. Your prices, ids and times differ. If \`npm ci\` prints \`EBADENGINE\`, your Node is older than the table
requires. On Linux (x64), ignore it: the clone brings its own Node 24, which \`npx\` and \`npm run\` use. Elsewhere, install Node 24.

**Words:** *base* is what you trade (BTC), *quote* is what you pay with (USDT). A *level* is a price of the grid. A *slot* is the
space between two levels: it buys at its lower price, and sells at its upper price. A *pass* is one check of the market by the
server, every few seconds. *Paper* means live prices, but simulated orders. *P&L* is profit and loss. *Realized* P&L is what sells
have earned after fees; *unrealized* P&L is what the base that you hold has gained or lost. The [glossary](../GLOSSARY.md) has more.

## 1. Watch the demo

The demo simulates the exchanges. It needs no keys and no network.

\`\`\`sh
npm ci
npm run demo
\`\`\`

In a terminal, it prints a link to a page, and then a line for each fill:

\`\`\`
  2026-01-01 02:31:57  sold   0.00833 BTC at 60200, fee 0.5 USDT
  active: 20 open orders, 5 filled, 1 cycle; realized P&L 4.65 USDT, total 12.62
\`\`\`

Press Enter to open the page. It shows the list of strategies: click **BTC/USDT**. Find three things:

- **Open orders** are the short lines at the right edge of the chart: buys below the price, sells above it.
- **Cycles**: open **Details**. A cycle is one buy and the sell that follows it. It earns the difference of two levels, minus two
  fees. The demo also sells BTC that its account had at the start, so it can have realized P&L without a cycle.
- **Total** is realized plus unrealized P&L. It can be negative while every cycle earns: then the grid holds base that it bought
  at a higher price.

Press Ctrl-C to end the demo.`;

const KEYS = `## 2. Create a key

An API key lets edgemaker trade for you. Three rules apply to every exchange:

- **Allow reading and trading. Do not allow withdrawals.** edgemaker refuses a key that can withdraw, if the exchange shows it.
- **Add the IP address of your server** if it has a fixed one. The key then works from there only. Most home connections change
  their address: leave the list empty, and replace the key before it expires.
- **Use a sub-account** if your exchange offers one, and move only the money for this grid there. What is not in the account
  cannot be lost by it.

Exchanges change the names of their boxes. If a name differs, choose the one that allows spot trading, and nothing about
withdrawals, transfers, futures or margin.

### Bitget
1. Open **API keys** in the menu of your profile, and create a system-generated key ([Bitget's API
   documentation](https://www.bitget.com/api-doc/common/quick-start)).
2. Choose a passphrase. Bitget never shows it again, and edgemaker needs it.
3. Permission: **Read and write**, and in it **Spot trading** only. In a unified account, choose the trading permission of the
   unified account.
4. IP list: your server's address, or empty.

### Gate
1. Open **API Management** in the menu of your profile, and create an **APIv4** key ([Gate's
   guide](https://www.gate.com/help/guide/faq/17521/how-to-utilize-api)).
2. Permission: **Spot trade**, read and write. In a unified account, also **Unified**, read only. No **Wallet**: edgemaker counts
   it as permission to withdraw.
3. IP list: your server's address. A key without one is valid for 90 days.

### Kraken
1. Open **Settings**, **API**, and create a key ([Kraken's page of
   permissions](https://docs.kraken.com/exchange/guides/rest/api-keys.md)).
2. Permissions: **Query Funds**, **Query Open Orders & Trades**, **Query Closed Orders & Trades**, **Create & Modify Orders**,
   **Cancel/Close Orders**, and **Access WebSockets API**, which reports fills at once.
3. Leave **Withdraw Funds** and **Deposit Funds** off.
4. IP list: your server's address, or empty. Use the key in edgemaker only: Kraken counts the calls of all programs together.

### MEXC
1. Open **API Management** in the menu of your profile, and create a key ([MEXC's API
   documentation](https://www.mexc.com/api-docs/spot-v3/introduction)).
2. Permissions: **view account details**, **view order details** and **trade**, all for spot. No **withdraw** and no **transfer**.
3. IP list: up to 20 addresses. A key without one expires: MEXC shows its last day.

### Store the key

\`exchange add\` asks for the key, its secret and, at Bitget, the passphrase. Your input stays invisible: paste it, and press Enter.
Wait for each question before you paste, because what you type before it is visible. A script can pipe the answers, one per line.
edgemaker tests the key, and stores it encrypted. You only need one exchange. The commands below show all four, and parts 3 to 7
use Bitget. For another exchange, change every command:

| exchange | instead of \`bitget\` | and |
|---|---|---|
| Gate | \`gateio\` | |
| Kraken | \`kraken\` | \`--size 6.3 --levels 8\`, \`--dry-balance USDT=60\` in part 3, and a limit of \`USDT=7\` per order: its smallest order is larger |
| MEXC | \`mexc\` | \`--dry-balance USDT=60\` in part 3 |`;

/** What a person types and reads in their first sitting. */
export async function tutorial(): Promise<string> {
  const at = await stage({
    start: Date.parse("2026-03-02T09:00:00Z"),
    balances: { USDT: "60" },
    head: HEAD,
    exchanges: ["bitget", "gateio", "kraken", "mexc"],
    symbol: "BTC/USDT",
  });
  await keys(at);
  await paper(at);
  await live(at);
  await firstCycle(at);
  await report(at);
  await stop(at);
  return at.page.text();
}

async function keys({ page, venues, ...at }: Stage): Promise<void> {
  page.says(KEYS);
  for (const { name, keys } of venues) {
    const lines = [keys.key, keys.secret, ...(name === "bitget" ? [keys.passphrase] : [])];
    await at.types(`exchange add ${name}`, { input: `${lines.join("\n")}\n` });
  }
  page.says(`\`can withdraw\` has to be \`no\`. The encryption key is created once: without its file, the stored keys are lost. Copy the
file, for example to a USB stick: \`cp ~/.config/edgemaker/edgemaker.json /media/stick/\`. Check what the key can do,
and your money:`);
  await at.types("exchange test bitget");
  await at.types("balance --exchange bitget");
  page.says("If something is missing, `edgemaker doctor` checks settings, keys, the clock and the database.");
}

async function paper({ page, ...at }: Stage): Promise<void> {
  page.says("## 3. Run a paper grid");
  page.says(
    `A paper grid reads live prices, and simulates its orders. It sends no order to the exchange.

Look up today's price (\`edgemaker ticker --exchange bitget --symbol BTC/USDT\`). In every command below, replace \`--lower\` by a price
about 5 % below it, \`--upper\` by one 5 % above it, and \`--stop-loss-price\` by one 7 % below it. If the plan says "outside the grid: it
waits", the price is not between your two prices.

Look at the plan first. \`--size\` is the quote of each order, \`--levels\` the number of slots. \`--dry-run\` makes it a paper grid, with
the balance of \`--dry-balance\`.`,
  );
  await at.types(`grid preview ${GRID} --dry-run --dry-balance USDT=50`);
  page.says(`Read four lines of every plan before you start it:

- \`at most\`: the highest amount that the grid can spend.
- \`each cycle\`: what one cycle earns after fees. If this is near zero, use fewer levels. Fees differ by
  exchange: a higher fee leaves less.
- \`worst case\`: what you lose at the lowest level, and if the price falls to zero. Start only what you can lose.
- \`not placed\`: slots that wait, and for what. Here five slots wait for a higher price. When the price rises above a slot's price,
  the grid places a buy there, so it can buy near the top. \`--initial-buy\` would buy base for them at once. \`orders\` are only those
  of now. The grid places more when the price rises, but never spends more than \`at most\`.

\`break-even\` estimates how long the cycles need to earn back the loss of a fall. A quiet week earns nothing.`);
  page.says(
    "A server runs the grid. Open a second terminal in the same folder, and leave it open. If port 3000 is in use, add `--port 3001`.",
  );
  await at.serves();
  await at.terminal(/docs at/, "$ edgemaker serve\n");
  page.says(
    "Start the paper grid in the first terminal. `--yes` skips the confirmation; a paper grid also starts without it.",
  );
  await at.types(`grid start ${GRID} --dry-run --dry-balance USDT=50 --name practice --yes`);
  await at.passes();
  page.says(
    `Let it run for an hour, or for some days. \`edgemaker page\` prints a link that shows it in your browser. Here the price falls, and
comes back: two buys and one sell fill. The first buy and the sell have the same price: the slot below sells where the slot above
buys. An order fills at its price or a better one. The server's terminal shows:`,
  );
  at.price("58700");
  await at.passes();
  at.price("59450");
  await at.passes();
  await at.terminal(/sold/);
  await at.types("grid status practice");
  page.says(
    `\`holds … at\` is the average price, fee included. Here \`break-even\` is the price above which the grid as a whole earns.
\`vs buy and hold\` compares the total with 50 USDT of BTC, bought at the start and held. Stop the paper grid.`,
  );
  await at.types("grid stop practice --yes");
}

async function live({ page, ...at }: Stage): Promise<void> {
  page.says("## 4. Start a live grid");
  page.says(`**This part uses real money.** Of the checklist [before real money](before-real-money.md), a grid of 50 USDT needs at least
a key that cannot withdraw, a copy of \`edgemaker.json\`, limits, and a stop price. Limit what edgemaker can do on this account (the
*scope* \`account:bitget\`): no order of a value (*notional*) above 6 USDT, and no more than 200 USDT of orders in a day. Sells of
what a strategy bought do not count.`);
  await at.types(
    "limits set --scope account:bitget --order-notional USDT=6 --day-notional USDT=200 --symbols BTC/USDT",
  );
  page.says("The plan of the live grid, with a stop price below the range:");
  const preview = await at.types(`grid preview ${GRID} --stop-loss-price 56000`);
  page.says(
    `If you agree with it, start exactly this plan: copy your own \`--plan-hash\` from the last line. If the price has moved more than
3 % since, or the plan is no longer the same, nothing starts.`,
  );
  const hash = /--plan-hash (\S+)/.exec(preview)?.[1];
  await at.types(`grid start ${GRID} --stop-loss-price 56000 --name first --plan-hash ${hash}`);
  await at.passes();
  page.says("The server's terminal shows:");
  await at.terminal(/started/);
  page.says("The orders are on the exchange now. You can see them there, too.");
  await at.types("orders list --exchange bitget --symbol BTC/USDT");
}

async function firstCycle({ page, ...at }: Stage): Promise<void> {
  page.says("## 5. Wait for the first cycle");
  page.says(`The server still has to run. Without one, the orders stay on the exchange, but no sell follows a buy, and the stop price is not
watched. A laptop that sleeps is a server that does not run: see [deploy](deploy.md) for a machine that stays on.`);
  page.says(
    "The price falls to two of the buys, and comes back to the sell above the lower one. The server's terminal shows:",
  );
  at.price("58700");
  await at.passes();
  at.price("59450");
  await at.passes();
  await at.terminal(/sold/);
  await at.types("grid status first");
  await at.types("grid fills first");
}

async function report({ page, ...at }: Stage): Promise<void> {
  page.says("## 6. Read the report");
  // A report counts what checks saw, and those are a minute apart.
  await at.passes(14);
  await at.types("report");
  page.says(`\`realized\` is what sells earned after fees. \`total\` also values the base that the grid holds. Paper trading has its own line. The
cycle earned 0.04 USDT, because each order is 5 USDT. \`incidents\` counts warnings and alerts. \`uptime\` needs a few
minutes of a running server.`);
  page.says("See every event of the grid:");
  await at.types("grid events first");
}

async function stop({ page, ...at }: Stage): Promise<void> {
  page.says("## 7. Stop");
  page.says(
    "A stop cancels all orders. It keeps the base that the grid has bought, unless you add `--sell-base`.",
  );
  await at.types("grid stop first --sell-base --yes");
  await at.passes();
  await at.types("orders list --exchange bitget");
  await at.types("balance --exchange bitget");
  page.says(`No order is open. The 60 USDT are now worth 60.03: 59.99 USDT, and BTC for 0.05 USDT, which is too little for an order of the
exchange (dust). The sale cost a fee. Press Ctrl-C in the terminal of the server, which also shows how the stop went:`);
  await at.leaves();
  page.says(`If you ever want to stop everything at once, use \`edgemaker panic\`: see [stop everything](stop-everything.md).

Next: [before real money](before-real-money.md) · [every option of a grid](grid-options.md) · [a week with a grid](a-week.md) ·
[when a grid loses](when-a-grid-loses.md)

Each command of parts 2 to 7 and its output come from a test with emulated exchanges.`);
}
