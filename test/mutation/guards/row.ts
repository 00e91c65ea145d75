import type { BookedOrder } from "../../../src/market/matching.ts";
import { done, type Guard, guardsOf, TERMS } from "./writers.ts";

const TWO = 2n * 10n ** 18n;
const SELL = { side: "sell" } as const;
const MINUTE = 60_000;

/** Of what people write: orders by hand, wishes, plans, requests, tokens, simulated books. */
export const ROW_GUARDS: readonly Guard[] = [
  ...guardsOf("src/storage/tables/own-orders.ts", [
    // That a settled order is met by nobody needs no proof: the partial index that the statements name refuses them without.
    [
      "an order that has taken what there was is met by nobody",
      "${orders.timeInForce} <> 'ioc' and ${orders.state} in",
      "${orders.state} in",
      "recorded",
      async ({ a, b, lease, start, order, changes, byHand }) => {
        const strategy = await start();
        const accepted = order(strategy, { state: "submitted", timeInForce: "ioc" });
        await a.record(await lease(a, "a"), [changes({ adopted: [accepted] })]);
        return byHand(b, SELL);
      },
    ],
    [
      "only the other side is met",
      "sql`${isOther} and ${isPriceMet",
      "sql`${isPriceMet",
      "recorded",
      async ({ a, b, byHand }) => {
        await byHand(a);
        return byHand(b);
      },
    ],
    [
      "only the other side is met by what a pass writes",
      "sql`${orders.side} <> ${side} and ",
      "sql`",
      1,
      async ({ a, b, lease, start, order, byHand, intend }) => {
        const strategy = await start();
        await byHand(b);
        return intend(await lease(a, "a"), order(strategy));
      },
    ],
    [
      "also by what takes any price",
      "limit === null ? isOther",
      "limit === null ? sql`1`",
      "recorded",
      async ({ a, b, byHand }) => {
        await byHand(a);
        return byHand(b, { type: "market" }, { limit: null });
      },
    ],
    [
      "a buy meets what is asked for less",
      "case ${side} when 'buy' then ${theirs} <= ${own} else",
      "case ${side} when 'buy' then 1 else",
      "recorded",
      async ({ a, b, byHand }) => {
        await byHand(a, { ...SELL, price: TWO }, { limit: TWO });
        return byHand(b);
      },
    ],
    [
      "a sell meets what is bid for more",
      "else ${theirs} >= ${own} end",
      "else 1 end",
      "recorded",
      async ({ a, b, byHand }) => {
        await byHand(a);
        return byHand(b, { ...SELL, price: TWO }, { limit: TWO });
      },
    ],
    [
      "a market order may be met at any price",
      "${orders.type} = 'market' or case",
      "case",
      "meets",
      async ({ a, b, byHand }) => {
        await byHand(a, { type: "market", price: 1n }, { limit: null });
        return byHand(b, SELL);
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/manual-order-store.ts", [
    [
      "what a pass has seen stays",
      "sql`${isOrder({ account, clientId })} and ${orders.state} in ('pending', 'unknown')`",
      "sql`${isOrder({ account, clientId })}`",
      "filled",
      async ({ a, b, lease, order, changes }) => {
        const one = order(null);
        await a.recordByHand(one, TERMS);
        const observed = { ...one, state: "filled", exchangeId: "7" } as const;
        await b.record(await lease(b, "b"), [changes({ orders: [observed] })]);
        await done(
          a.settleByHand({
            account: one.account,
            clientId: one.clientId,
            state: "filled",
            exchangeId: "8",
            reason: "late",
          }),
        );
        const found = await b.orderByClientId(one.account, one.clientId);
        return found?.reason === null ? found.state : found?.reason;
      },
    ],
    [
      "an outcome by hand is one order's",
      "sql`${isOrder({ account, clientId })} and ${orders.state} in ('pending', 'unknown')`",
      "sql`${orders.state} in ('pending', 'unknown')`",
      "pending",
      async ({ a, b, order, reject }) => {
        const [one, two] = [order(null), order(null)];
        await a.recordByHand(one, TERMS);
        await b.recordByHand(two, TERMS);
        await reject(one);
        return (await b.orderByClientId(two.account, two.clientId))?.state;
      },
    ],
    [
      "what is unclear is one account's",
      "sql`${orders.account} = ${account} and ${orders.settled} = 0",
      "sql`${orders.settled} = 0",
      false,
      async ({ a, b, account, byHand }) => {
        await byHand(a);
        return b.hasUnclear(`${account}2`);
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/strategy-store.ts", [
    [
      "a wish is one grid's",
      "const query = and(eq(strategies.id, id), isRunning());",
      "const query = isRunning();",
      "run",
      async ({ a, b, start }) => {
        const [one, two] = [await start(), await start()];
        await b.setWants(one.id, "stop", { keepOrders: false, sellBase: false });
        return (await a.strategies({ id: two.id }))[0]?.strategy.wants;
      },
    ],
    [
      "a stopped grid is wanted to do nothing",
      "const query = and(eq(strategies.id, id), isRunning());",
      "const query = eq(strategies.id, id);",
      "stop",
      async ({ a, b, start }) => {
        const { id } = await start({ status: "stopped", wants: "stop" });
        await b.setWants(id, "run", { keepOrders: false, sellBase: false });
        return (await a.strategies({ id }))[0]?.strategy.wants;
      },
    ],
    [
      "a resume takes no stop back",
      " and ${strategies.wants} <> 'stop'`",
      "`",
      "stop",
      async ({ a, b, start }) => {
        const { id } = await start();
        await a.setWants(id, "stop", { keepOrders: false, sellBase: false });
        await b.setPaused(id, null);
        return (await a.strategies({ id }))[0]?.strategy.wants;
      },
    ],
    [
      "a pause is one grid's",
      "pause, by) {\n      const query = sql`${strategies.id} = ${id} and ${isRunning()}",
      "pause, by) {\n      const query = sql`${isRunning()}",
      "run",
      async ({ a, b, start }) => {
        const [one, two] = [await start(), await start()];
        await b.setPaused(one.id, { keepOrders: true });
        return (await a.strategies({ id: two.id }))[0]?.strategy.wants;
      },
    ],
    [
      "a start that was known is told of once",
      'kind: "started", message: symbol }, isNew)',
      'kind: "started", message: symbol }, isNew && undefined)',
      1,
      async ({ own, account, contexts, start }) => {
        await start({ request: own });
        await start({ request: own });
        const text = `select count(*) from events where account = '${account}' and kind = 'started'`;
        return Number((await contexts.second.client.execute(text)).rows[0]?.[0]);
      },
    ],
    [
      "what a stop has left is one grid's",
      "      eq(orders.strategy, strategy),\n",
      "",
      0,
      async ({ a, b, lease, start, order, changes }) => {
        const [one, two] = [await start(), await start()];
        const left = order(one, { state: "open", settled: true });
        await a.record(await lease(a, "a"), [changes({ adopted: [left] })]);
        return (await b.releasedOrdersOf(two.id)).length;
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/plan-store.ts", [
    [
      "a plan is used once",
      "sql`${plans.consumedAt} is null and ${isAheadRow(plans.expiresAt, now(), PLAN_LIFE)}`",
      "isAheadRow(plans.expiresAt, now(), PLAN_LIFE)",
      [true, false],
      async ({ a, b, own }) => {
        const key = await planned(a, own);
        return [Boolean(await a.consumePlan(key, false)), Boolean(await b.consumePlan(key, false))];
      },
    ],
    [
      "a plan ends",
      " and ${isAheadRow(plans.expiresAt, now(), PLAN_LIFE)}`",
      "`",
      false,
      async ({ a, b, own, pass }) => {
        const key = await planned(a, own);
        pass(MINUTE);
        return Boolean(await b.consumePlan(key, false));
      },
    ],
    [
      "a plan is whose it is",
      "sql`${plans.id} = ${id} and ${plans.binding} = ${binding}`",
      "sql`${plans.id} = ${id} and ${binding} is not null`",
      false,
      async ({ a, b, own }) => {
        const { id } = await planned(a, own);
        return Boolean(await b.consumePlan({ id, binding: "another" }, false));
      },
    ],
    [
      "what needs approval has it",
      "sql`(${plans.decision} = 'approved' or ",
      "sql`(1 or ",
      false,
      async ({ a, b, own }) => Boolean(await b.consumePlan(await planned(a, own), true)),
    ],
    [
      "only a plan of paper trading needs no approval",
      "${plans.decision} is null and ${IS_PAPER})",
      "${plans.decision} is null)",
      false,
      async ({ a, b, own }) => Boolean(await b.consumePlan(await planned(a, own), true)),
    ],
    [
      "what was refused is not done",
      ": sql`${plans.decision} is not 'refused'`;",
      ": sql`1`;",
      false,
      async ({ a, b, own }) => {
        const key = await planned(a, own);
        await b.decidePlan(key.id, "refused");
        return Boolean(await a.consumePlan(key, false));
      },
    ],
    [
      "a refusal stays",
      "${plans.id} = ${id} and ${isOpen()} and ${plans.decision} is not 'refused'`",
      "${plans.id} = ${id} and ${isOpen()}`",
      false,
      async ({ a, b, own }) => {
        const key = await planned(a, own);
        await b.decidePlan(key.id, "refused");
        return a.decidePlan(key.id, "approved");
      },
    ],
    [
      "what is used is decided on no more",
      "${plans.id} = ${id} and ${isOpen()} and ${plans.decision}",
      "${plans.id} = ${id} and ${plans.decision}",
      false,
      async ({ a, b, own }) => {
        const key = await planned(a, own);
        await b.consumePlan(key, false);
        return a.decidePlan(key.id, "approved");
      },
    ],
    [
      "who waits gives up its own plan",
      "sql`${plans.waiter} = ${waiter} and ${isOpen()}`",
      "sql`${isOpen()} and ${waiter} is not null`",
      true,
      async ({ a, b, own }) => {
        const [key, other] = [await planned(a, own), await planned(a, `${own}2`)];
        await b.planState(key, { needsApproval: true, waiter: own });
        await b.giveUpPlan(own);
        return Boolean(await a.consumePlan(other, false));
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/request-store.ts", [
    [
      "a request that runs is not taken over",
      " and ${requests.createdAt} < ${now()} - ${ABANDONED}`",
      "`",
      ["new", "running"],
      async ({ a, b, own }) => {
        const query = { key: own, bodyHash: "x" };
        return [(await a.claimRequest(query)).state, (await b.claimRequest(query)).state];
      },
    ],
    [
      "one key is one claim",
      "    .onConflictDoNothing()\n    .returning({ key: requests.key });",
      '    .onConflictDoUpdate({ target: requests.key, set: { bodyHash: boundTo("bodyHash") } })\n    .returning({ key: requests.key });',
      ["new", "running"],
      async ({ a, b, own }) => {
        const query = { key: own, bodyHash: "x" };
        return [(await a.claimRequest(query)).state, (await b.claimRequest(query)).state];
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/token-store.ts", [
    [
      "a token that was revoked is none",
      "${tokens.revokedAt} is null and (",
      "(",
      undefined,
      async ({ a, b, own }) => {
        await a.addToken({ id: own, name: own, scope: "trade", hash: own, expiresAt: null });
        await b.revokeToken(own);
        return (await a.tokenByHash(own))?.id;
      },
    ],
    [
      "a token ends",
      "(${tokens.expiresAt} is null or ${tokens.expiresAt} > ${at})",
      "1",
      undefined,
      async ({ a, b, own, pass }) => {
        const { now } = (await a.readLimits({ scopes: [], account: own, actor: "" })) as { now: number };
        await a.addToken({ id: own, name: own, scope: "trade", hash: own, expiresAt: now + 1000 });
        pass(1000);
        return (await b.tokenByHash(own))?.id;
      },
    ],
    [
      "a token is revoked once",
      "where id = ${id} and revoked_at is null",
      "where id = ${id}",
      [true, false],
      async ({ a, b, own }) => {
        const token = (id: string) => ({ id, name: id, scope: "trade", hash: id, expiresAt: null }) as const;
        await a.addToken(token(own));
        const first = await a.revokeToken(own);
        await a.addToken({ ...token(`${own}2`), maker: own });
        return [first, await b.revokeToken(own)];
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/dry-books.ts", [
    [
      "an account on paper is made once",
      "'0' where ${none}`",
      "'0' where 1 on conflict do update set total = excluded.total`",
      [10n],
      async ({ own, books }) => {
        await books.a.open(own, { asset: "USDT", total: 10n });
        await books.b.open(own, { asset: "USDT", total: 20n });
        return (await books.a.holdings(own)).map(({ total }) => total);
      },
    ],
    [
      "its money stays while orders rest",
      "sql`not exists(select 1 from ${venueOrders} where ${resting})`",
      "sql`1`",
      false,
      async ({ own, books }) => {
        await books.a.open(own, { asset: "USDT", total: 10n });
        await books.a.commit(own, 1, { settledAt: 0, orders: [resting(own)], fills: [], holdings: {} });
        return books.b.fund(own, { USDT: 20n });
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/sandbox-books.ts", [
    [
      "of two who commit to one version one does",
      "sql`exists(select 1 from ${venues} where ${venues.exchange} = ${exchange} and ${venues.version} = ${version}) and ${inTime}`",
      "sql`${inTime}`",
      [true, false],
      async ({ own, books }) => {
        await books.a.open(own, { asset: "USDT", total: 10n });
        const change = { settledAt: 0, orders: [], fills: [], holdings: {} };
        return [await books.a.commit(own, 1, change), await books.b.commit(own, 1, change)];
      },
    ],
    [
      "nothing is committed too late",
      " and ${inTime}`",
      "`",
      false,
      async ({ own, books }) => {
        await books.a.open(own, { asset: "USDT", total: 10n });
        const change = { settledAt: 0, orders: [], fills: [], holdings: {} };
        return books.b.commit(own, 1, change, 1);
      },
    ],
  ]),
];

/** A plan under a key of its own. */
async function planned(store: { addPlan(plan: never): Promise<number> }, id: string) {
  const plan = { id, binding: id, actor: "x", tool: "x", input: {}, preview: {}, life: MINUTE };
  await store.addPlan(plan as never);
  return { id, binding: id };
}

const resting = (id: string): BookedOrder => ({
  id,
  clientId: id,
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: 1n,
  amount: 1n,
  filled: 0n,
  status: "open",
  at: 0,
  notional: 0n,
  reserved: 1n,
  fee: { asset: "USDT", amount: 0n },
  fills: 0,
  meetsFrom: 0,
});
