import type { Operation } from "../../../src/operation.ts";
import { createOperations } from "../../../src/operations.ts";
import type { CliSettings } from "../../host/settings.ts";
import { render } from "../../terminal/output.ts";
import { formatPlan, type ShownPlan } from "../plan-text.ts";
import { openAnswering } from "../run-operation.ts";
import type { AskByName } from "./questions.ts";

interface FreeBalance {
  readonly asset: string;
  readonly free: string;
}

interface Purse extends FreeBalance {
  readonly exchange: string;
}

/** Quote assets for a first grid, with similar unit values. */
const QUOTES = ["USDT", "USDC", "USD", "EUR"];
const MOST_NAMED = 6;
/** Maximum number of assets whose price is requested. */
const MOST_PRICED = 20;

/** Shows the free balances on these exchanges, and a grid from the largest one. Starts nothing. */
export async function tellFirstPlan(exchanges: readonly string[], settings: CliSettings): Promise<void> {
  const operations = createOperations(settings.config.exchanges.map(({ id }) => id));
  const { ask: asks, close } = await openAnswering(settings, undefined);
  const ask: AskByName = (name, input) =>
    asks(operations.find((operation) => operation.name === name) as Operation, { ...input });
  try {
    const purses: Purse[] = [];
    for (const exchange of exchanges) purses.push(...(await tellBalance(exchange, ask)));
    await tellPlan(purses, ask);
  } finally {
    close();
  }
}

/** Prints the balances, and returns those that are free. */
async function tellBalance(exchange: string, ask: AskByName): Promise<readonly Purse[]> {
  const { status, body } = await ask("get_balance", { exchange });
  if (status !== 200) {
    tellFields({ [exchange]: answerMessage(body) });
    return [];
  }
  const free = (body as { balances: readonly FreeBalance[] }).balances.filter(
    (freeBalance) => Number(freeBalance.free) > 0,
  );
  const named = free.slice(0, MOST_NAMED).map((freeBalance) => `${freeBalance.free} ${freeBalance.asset}`);
  const others = free.length > MOST_NAMED ? `, and ${free.length - MOST_NAMED} other assets` : "";
  tellFields({
    [exchange]: free.length === 0 ? "no free balance" : `${named.join(", ")}${others} free`,
  });
  return free.map((freeBalance) => ({ ...freeBalance, exchange }));
}

async function tellPlan(purses: readonly Purse[], ask: AskByName): Promise<void> {
  const funds = purses.filter(({ asset }) => QUOTES.includes(asset));
  const [most] = funds.toSorted((a, b) => Number(b.free) - Number(a.free));
  if (!most) return tellFields({ "no plan yet": `no free ${QUOTES.join(", ")} for a grid. ${GO_ON}` });
  const { exchange, free } = most;
  let why = "";
  for (const symbol of await pairsFor(most, purses, ask)) {
    const { status, body } = await ask("guide_grid", { exchange, symbol, budget: Number(free) });
    if (status === 200) return tellGrid(body as { plan: ShownPlan }, { symbol, most });
    why = `on ${symbol}, ${answerMessage(body)}`;
  }
  tellFields({ "no plan yet": `${why}. ${GO_ON}` });
}

function tellGrid(
  { plan }: { readonly plan: ShownPlan },
  { symbol, most: { exchange, asset, free } }: { readonly symbol: string; readonly most: Purse },
): void {
  process.stdout.write(`\nSample plan: ${symbol} with all ${free} ${asset}. Nothing was started.\n`);
  tellFields(formatPlan(plan));
  const flags = `--exchange ${exchange} --symbol ${symbol} --budget ${free}`;
  tellFields({ "to start it": `edgemaker grid new ${flags}; another pair or budget gives another plan` });
}

/** Returns the pairs of the assets that the account has, by their worth, and then BTC's. */
async function pairsFor(
  { exchange, asset: quote }: Purse,
  purses: readonly Purse[],
  ask: AskByName,
): Promise<readonly string[]> {
  const own = purses.filter((purse) => purse.exchange === exchange && !QUOTES.includes(purse.asset));
  const priced = await Promise.all(
    own.slice(0, MOST_PRICED).map(async ({ asset, free }) => {
      const symbol = `${asset}/${quote}`;
      const { status, body } = await ask("get_ticker", { exchange, symbol });
      return { symbol, worth: status === 200 ? Number((body as { last: number }).last) * Number(free) : 0 };
    }),
  );
  const worth = priced.filter((one) => one.worth > 0).toSorted((a, b) => b.worth - a.worth);
  return [...new Set([...worth.map(({ symbol }) => symbol), `BTC/${quote}`])];
}

const GO_ON = "Deposit there, then run edgemaker grid new. To try a grid without money, run edgemaker demo.";

const tellFields = (result: Readonly<Record<string, string>>): void =>
  void process.stdout.write(`${render(result)}\n`);

const answerMessage = (body: unknown): string =>
  (body as { readonly message?: string }).message ?? "no message";
