import type { LimitTerms } from "../../../src/model/limits.ts";
import { type Guard, guardsOf, TERMS, type Writers } from "./writers.ts";

const DAY = 86_400_000;

type Scope = LimitTerms["scopes"][number];
const scope = (of: string, over: Partial<Scope>): Scope => ({
  scope: of,
  actor: null,
  dayNotional: null,
  openOrders: null,
  orderGapMillis: null,
  ...over,
});

/** Terms of the limits as they are now, which count so much for each order. */
async function termsOf({ a, account }: Writers, ids: readonly string[], counted: bigint, ...scopes: Scope[]) {
  const { stored } = await a.readLimits({ scopes: [], account, actor: "" });
  const each = Object.fromEntries(ids.map((id) => [id, counted]));
  return { version: stored.version, asset: "USDT", scopes, counted: each } satisfies LimitTerms;
}

/** An order by hand within terms: what the store says to it. */
async function byHand(
  writers: Writers,
  counted: bigint,
  over: Partial<Scope>,
  of = writers.own,
  actor = "x",
) {
  const order = writers.order(null, { actor });
  const terms = await termsOf(writers, [order.clientId], counted, scope(of, over));
  return (await writers.b.recordByHand(order, { ...TERMS, terms })).result;
}

/** The first open order of an asker, who has no other on any account. */
const byHandOf = (writers: Writers, actor: string) =>
  byHand(writers, 0n, { openOrders: 1, actor }, writers.own, actor);

const FILE = "src/adapters/libsql/stores/order-rows.ts";

export const LIMIT_GUARDS: readonly Guard[] = [
  ...guardsOf(FILE, [
    [
      "limits are those under which it was allowed",
      "sql`${control.limits} = ${version}`",
      "sql`1`",
      "refused",
      async (writers) => {
        const order = writers.order(null);
        const terms = await termsOf(writers, [order.clientId], 0n);
        await writers.b.setLimits({ version: terms.version, scope: writers.own, settings: {}, message: "x" });
        return (await writers.a.recordByHand(order, { ...TERMS, terms })).result;
      },
    ],
    [
      "a day's notional has an end",
      '[sql`coalesce((${used}), 0) + ${NOTIONAL} <= ${notionalUnits(dayNotional, "down")}`]',
      "[]",
      ["recorded", "refused"],
      async (writers) => [
        await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n }),
        await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n }),
      ],
    ],
    [
      "of one scope",
      "where ${limitUses.scope} = ${scope} and ${limitUses.day} = ${today(context)} and ${limitUses.asset} = ${asset}`;\n  return [sql`coalesce",
      "where ${limitUses.day} = ${today(context)} and ${limitUses.asset} = ${asset} and ${scope} is not null order by notional desc limit 1`;\n  return [sql`coalesce",
      ["recorded", "recorded"],
      async (writers) => [
        await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n ** 30n }, `${writers.own}2`),
        await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n }),
      ],
    ],
    [
      "of one day",
      "and ${limitUses.day} = ${today(context)} and ${limitUses.asset} = ${asset}`;\n  return [sql`coalesce",
      "and ${limitUses.asset} = ${asset}`;\n  return [sql`coalesce",
      ["recorded", "recorded"],
      async (writers) => {
        const first = await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n });
        writers.pass(DAY);
        return [first, await byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n })];
      },
    ],
    [
      "of one asset",
      " and ${limitUses.asset} = ${asset}`;\n  return [sql`coalesce",
      "`;\n  return [sql`coalesce",
      "recorded",
      async (writers) => {
        const { a, own } = writers;
        await a.useLimit({ scope: own, asset: "USDC", notional: 9n * 10n ** 18n, most: null });
        return byHand(writers, 6n * 10n ** 18n, { dayNotional: 10n * 10n ** 18n });
      },
    ],
    [
      "open orders are counted",
      "[sql`${countOpen(account, actor)} + ${COUNT} <= ${openOrders}`]",
      "[]",
      ["recorded", "refused"],
      async (writers) => [
        await byHand(writers, 0n, { openOrders: 1 }),
        await byHand(writers, 0n, { openOrders: 1 }),
      ],
    ],
    [
      "of one account",
      "${ofOpen(actor === null ? isOfAccount(account) : isOfActor(actor))}",
      "${ofOpen(actor === null ? sql`1` : isOfActor(actor))}",
      "recorded",
      async (writers) => {
        const theirs = writers.order(null, { account: `${writers.account}2` });
        await writers.a.recordByHand(theirs, { ...TERMS, terms: null });
        return byHand(writers, 0n, { openOrders: 1 });
      },
    ],
    [
      "of one asker",
      "${ofOpen(actor === null ? isOfAccount(account) : isOfActor(actor))}",
      "${ofOpen(isOfAccount(account))}",
      ["recorded", "recorded"],
      async (writers) => [
        await byHandOf(writers, `x ${writers.own}`),
        await byHandOf(writers, `y ${writers.own}`),
      ],
    ],
    [
      "there is time between two orders",
      " and coalesce((${last}), 0) + ${orderGapMillis} <= ${context.now()}`",
      "`",
      ["recorded", "refused"],
      async (writers) => [
        await byHand(writers, 0n, { orderGapMillis: 1000 }),
        await byHand(writers, 0n, { orderGapMillis: 1000 }),
      ],
    ],
    [
      "also between two of one batch",
      "sql`${COUNT} = 1 and coalesce",
      "sql`coalesce",
      1,
      async (writers) => {
        const { a, own, start, order, lease, changes } = writers;
        const strategy = await start();
        const intents = [order(strategy), order(strategy, { slot: 1 })];
        const ids = intents.map(({ clientId }) => clientId);
        const terms = await termsOf(writers, ids, 0n, scope(own, { orderGapMillis: 1000 }));
        return (await a.record(await lease(a, "a"), [changes({ intents, terms })])).size;
      },
    ],
    [
      "what was refused is not counted",
      "where exists(select 1 from ${orders} where ${orders.account} = part.column3 and ${orders.clientId} = part.column1) group by 1",
      "where 1 group by 1",
      1,
      async (writers) => {
        const { a, own, account } = writers;
        await byHand(writers, 0n, { openOrders: 1 });
        await byHand(writers, 0n, { openOrders: 1 });
        const { uses } = await a.readLimits({ scopes: [own], account, actor: "" });
        return uses[0]?.orders;
      },
    ],
    [
      "a use without an order fits the day",
      "sql`coalesce((${before}), 0) + ${notional} <= ${most}`",
      "sql`1`",
      [true, false],
      async ({ a, b, own }) => {
        const use = { scope: own, asset: "USDT", notional: 6n * 10n ** 18n, most: 10n * 10n ** 18n };
        return [await a.useLimit(use), await b.useLimit(use)];
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/stores/limit-store.ts", [
    [
      "of two who change limits one does",
      "        ...unless(isSame),\n",
      "",
      [true, false],
      async ({ a, b, own, account }) => {
        const { stored } = await a.readLimits({ scopes: [], account, actor: "" });
        const request = { version: stored.version, scope: own, settings: {}, message: "x" };
        return [await a.setLimits(request), await b.setLimits(request)];
      },
    ],
  ]),
];
