import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { isPair } from "../../kernel/pair.ts";
import type { McpOptions } from "./plans.ts";

type PromptValues = Readonly<Record<string, string>>;

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  readonly text: (values: PromptValues) => string;
}

const EXCHANGE = { name: "exchange", description: "Exchange id, for example kraken", required: true };
const SYMBOL = { name: "symbol", description: "Trading pair, for example BTC/USDT", required: true };

export const PROMPTS: readonly Prompt[] = [
  {
    name: "market_analysis",
    title: "Market analysis",
    description: "Describe one market from its current data",
    arguments: [EXCHANGE, SYMBOL],
    text: ({
      exchange,
      symbol,
    }) => `Analyze ${symbol} on ${exchange} with the tools of edgemaker. Change nothing.

1. get_ticker, get_orderbook (limit 50) and get_trades (limit 200): price, spread, depth on both sides, recent trades.
2. get_ohlcv with timeframe 1h (limit 168) and 1d (limit 90): range, trend, daily movement.
3. compare_prices, if available: prices of other exchanges.

Summarize in ten lines: the position of the price in its range of one week and 90 days, its movement, its liquidity, and the
arguments for and against a grid. Name what the data do not show. Give figures with units.`,
  },
  {
    name: "portfolio_overview",
    title: "Portfolio overview",
    description: "Summarize balances, open orders and strategies",
    arguments: [{ ...EXCHANGE, description: "Only this exchange; default: all", required: false }],
    text: ({
      exchange,
    }) => `Give an overview of ${exchange ? `the account on ${exchange}` : "the accounts on every exchange that list_exchanges calls configured"} with the tools of edgemaker. Change nothing.

1. get_balance and list_orders for each exchange; get_ticker for the value of each asset in USDT.
2. list_strategies: P&L, position and notices of each strategy; get_strategy for one with a notice.

Answer with one table of assets (free, in orders, worth), one of strategies (market, status, profit, unrealized, position),
and three lines on what is unusual: idle money, a grid outside its range, an order far from the market.`,
  },
  {
    name: "grid_setup_advisor",
    title: "Grid setup advisor",
    description: "Design a grid for a market and a budget",
    arguments: [
      EXCHANGE,
      SYMBOL,
      { name: "budget", description: "Maximum quote to use, for example 1000", required: true },
    ],
    text: ({
      exchange,
      symbol,
      budget,
    }) => `Propose a grid on ${symbol} at ${exchange} that uses at most ${budget} of the quote asset.

1. Read the resource edgemaker://guide/grid.
2. get_ticker, get_ohlcv (1h, limit 168; 1d, limit 90) and get_balance.
3. Choose bounds, levels and order size; gridLevels × orderSize must not exceed the budget.
4. preview_strategy with definition grid and allowLoss false in its config; fix what it refuses.

Show the proposal as a table, the profit of a cycle after fees, the worst case at the lower bound, and two things that
would make it a bad idea. Start nothing: the person decides.`,
  },
];

/** Adds prompts for users; their arguments are validated, so nothing else gets into the text. */
export function addPrompts(server: Server, { deps }: McpOptions): void {
  const ids = deps.exchanges.map(({ id }) => id);
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: PROMPTS.map(({ text: _text, ...prompt }) => ({
      ...prompt,
      arguments: prompt.arguments.map((one) => ({ ...one })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values = {} } }) => {
    const prompt = PROMPTS.find((prompt) => prompt.name === name);
    if (!prompt)
      throw new McpError(
        ErrorCode.InvalidParams,
        "unknown prompt; call prompts/list for the list of prompts",
      );
    checkPrompt(prompt, values, ids);
    const content = { type: "text" as const, text: prompt.text(values) };
    return { description: prompt.description, messages: [{ role: "user" as const, content }] };
  });
}

const ARGUMENT_FORMS: Readonly<Record<string, (text: string, ids: readonly string[]) => boolean>> = {
  exchange: (text, ids) => ids.includes(text),
  symbol: isPair,
  budget: (text) => /^\d{1,15}(\.\d{1,18})?$/.test(text),
};

function checkPrompt({ arguments: known }: Prompt, values: PromptValues, ids: readonly string[]): void {
  for (const { name, description, required } of known) {
    const value = values[name];
    if (value === undefined ? required : !ARGUMENT_FORMS[name]?.(value, ids))
      throw new McpError(ErrorCode.InvalidParams, `${name} is missing or not valid: ${description}`);
  }
}
