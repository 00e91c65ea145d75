/** Compares the exchange, the database and the strategy's function. Each problem is a sentence. */
import { asDeclared, declaredKind } from "../../../src/declared/kind.ts";
import type { DeclaredStrategy } from "../../../src/declared/state.ts";
import { type Decimal, text, ZERO } from "../../../src/kernel/decimal.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Balance } from "../../../src/model/account.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Venue } from "../../../src/ports/venue.ts";

export interface SimulatedStrategy {
  readonly deps: Deps;
  readonly venue: Venue;
  readonly symbol: Pair;
  readonly id: string;
}

export async function readDeclared({ deps, id }: SimulatedStrategy): Promise<DeclaredStrategy> {
  const [view] = await deps.store.strategies({ id });
  if (!view) throw new Error(`there is no strategy ${id}`);
  return asDeclared(view.strategy);
}

/** Returns the exchange's open orders by the ids of the function; an unknown one has none. */
async function openById({ deps, venue, symbol }: SimulatedStrategy, { state }: DeclaredStrategy) {
  const rows = await deps.store.unsettledOrders();
  return (await venue.openOrders(symbol)).map(({ clientId }) => {
    const row = rows.find((order) => order.clientId === clientId);
    return row === undefined ? undefined : state.ids[row.slot];
  });
}

/** Checks what must hold at any moment: no id has two open orders. */
export async function checkOpenOrders(simulated: SimulatedStrategy): Promise<string[]> {
  const ids = await openById(simulated, await readDeclared(simulated));
  const twice = ids.filter((id, i) => id !== undefined && ids.indexOf(id) !== i);
  return [...new Set(twice)].map((id) => `two orders with the id ${id} were open at the same time`);
}

/** Checks what must hold when nothing is pending: the books equal the account, and each declared order is open or refused. */
export async function checkAtRest(
  simulated: SimulatedStrategy,
  { first, declared }: { readonly first: readonly Balance[]; readonly declared: readonly string[] },
): Promise<string[]> {
  const strategy = await readDeclared(simulated);
  const ids = await openById(simulated, strategy);
  const { refused } = strategy.state;
  const explained = new Set([...ids, ...refused.map(({ slot }) => strategy.state.ids[slot])]);
  return [
    ...(ids.includes(undefined) ? ["an order is open on the exchange that is not in the database"] : []),
    ...declared
      .filter((id) => !explained.has(id))
      .map((id) => `the order ${id} is neither open nor refused with a reason`),
    ...booksProblems(strategy, first, await simulated.venue.balances()),
  ];
}

function booksProblems(
  { state, symbol }: DeclaredStrategy,
  first: readonly Balance[],
  last: readonly Balance[],
): string[] {
  const booked = declaredKind([]).movedByBooks(state, symbol);
  const totalIn = (balances: readonly Balance[], asset: string): Decimal => {
    const found = balances.find((balance) => balance.asset === asset);
    return found ? found.free + found.used : ZERO;
  };
  return Object.entries(booked).flatMap(([asset, amount]) => {
    const moved = totalIn(last, asset) - totalIn(first, asset);
    return moved === amount
      ? []
      : [`the account's ${asset} changed by ${text(moved)}, and the strategy's books by ${text(amount)}`];
  });
}
