import { isDeepStrictEqual } from "node:util";
import type { LimitTerms } from "../../../src/model/limits.ts";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { ROW_GUARDS } from "./row.ts";
import { STEP_GUARDS } from "./step.ts";
import { done, type Guard, guardsOf, openBoth, TERMS, twoWriters, type Writers } from "./writers.ts";

const DAY = 86_400_000;

const scope = (of: string, over: Partial<Scope>): Scope => ({
  scope: of,
  actor: null,
  dayNotional: null,
  openOrders: null,
  orderGapMillis: null,
  ...over,
});

/** The first open order of an asker, who has no other on any account. */
const byHandOf = (writers: Writers, actor: string) =>
  byHand(writers, 0n, { openOrders: 1, actor }, writers.own, actor);

const FILE = "src/adapters/libsql/order-rows.ts";

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
      '[sql`coalesce(coalesce((${used}), 0) + ${NOTIONAL} <= ${notionalUnits(dayNotional, "down")}, 1)`]',
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
  ...guardsOf("src/adapters/libsql/limit-store.ts", [
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

/** What the other writer's own statement comes to. */
const raw = ({ contexts }: Writers, sql: string) => done(contexts.second.client.execute(sql));

const fillOf = (account: string, clientId: string, strategy: string) => ({
  account,
  symbol: "BTC/USDT" as const,
  tradeId: "1",
  clientId,
  strategy,
  side: "buy" as const,
  price: 1n,
  amount: 1n,
  notional: 1n,
  fees: [],
  at: 0,
  superseded: false,
});

/** Of the schema: what no statement may do, whoever writes it. */
export const SCHEMA_GUARDS: readonly Guard[] = [
  ...guardsOf("drizzle/0022_client_ids_of_accounts.sql", [
    [
      "one live order a slot",
      "CREATE UNIQUE INDEX `orders_one_live_per_slot`",
      "CREATE INDEX `orders_one_live_per_slot`",
      "constraint",
      async (writers) => {
        const { a, order, changes } = writers;
        const { strategy, granted } = await recorded(writers);
        return done(a.record(granted, [changes({ intents: [order(strategy)] })]));
      },
    ],
    [
      "a trade is booked once",
      "PRIMARY KEY(`account`, `symbol`, `trade_id`)",
      "CHECK (1)",
      "constraint",
      async (writers) => {
        const { a, account, changes } = writers;
        const { strategy, granted, one } = await recorded(writers);
        const fill = fillOf(account, one.clientId, strategy.id);
        await a.record(granted, [changes({ fills: [fill] })]);
        return done(a.record(granted, [changes({ fills: [fill] })]));
      },
    ],
    [
      "a final state has no way out",
      "'pending>submitted', ",
      "'filled>open', 'pending>submitted', ",
      "constraint",
      async (writers) => {
        const { one, granted } = await recorded(writers, { state: "filled" });
        return done(writers.a.record(granted, [writers.changes({ orders: [{ ...one, state: "open" }] })]));
      },
    ],
    [
      "the filled amount never falls",
      "WHEN CAST(NEW.filled AS REAL) < CAST(OLD.filled AS REAL)",
      "WHEN 0",
      "constraint",
      async (writers) => {
        const { one, granted } = await recorded(writers, { filled: 2n * 10n ** 18n });
        return done(
          writers.a.record(granted, [writers.changes({ orders: [{ ...one, filled: 10n ** 18n }] })]),
        );
      },
    ],
    ...["client_id", "account", "strategy", "generation", "slot", "symbol", "side", "price", "amount"].map(
      (column) =>
        [
          `what an order is does not change: ${column}`,
          `NEW.${column} IS NOT OLD.${column}`,
          "0",
          "constraint",
          async (writers: Writers) => {
            const { one, strategy } = await recorded(writers);
            const other = await writers.start({ account: `${writers.account}2` });
            const value =
              column === "account" ? other.account : column === "strategy" ? other.id : `9${writers.own}`;
            void strategy;
            return raw(
              writers,
              `update orders set ${column} = '${value}' where client_id = '${one.clientId}'`,
            );
          },
        ] as const,
    ),
    ...(["update fills set at = 1", "delete from fills"] as const).map(
      (deed) =>
        [
          `fills: ${deed}`,
          deed.startsWith("update")
            ? "CREATE TRIGGER fills_append_only BEFORE UPDATE ON fills\nBEGIN SELECT RAISE(ABORT, 'fills are append-only'); END;"
            : "CREATE TRIGGER fills_stay BEFORE DELETE ON fills\nBEGIN SELECT RAISE(ABORT, 'fills are append-only'); END;",
          "SELECT 1;",
          "constraint",
          async (writers: Writers) => {
            const { strategy, granted, one } = await recorded(writers);
            await writers.a.record(granted, [
              writers.changes({ fills: [fillOf(writers.account, one.clientId, strategy.id)] }),
            ]);
            return raw(writers, `${deed} where account = '${writers.account}'`);
          },
        ] as const,
    ),
  ]),
  ...guardsOf("drizzle/0001_triggers.sql", [
    [
      "events: update events set at = 1",
      "CREATE TRIGGER events_append_only BEFORE UPDATE ON events\nBEGIN SELECT RAISE(ABORT, 'events are append-only'); END;",
      "SELECT 1;",
      "constraint",
      async (writers) => {
        await writers.start();
        return raw(writers, `update events set at = 1 where account = '${writers.account}'`);
      },
    ],
  ]),
  ...guardsOf("drizzle/0029_archives.sql", [
    [
      "orders stay",
      "CREATE TRIGGER orders_stay BEFORE DELETE ON orders\nWHEN NOT (",
      "CREATE TRIGGER orders_stay BEFORE DELETE ON orders\nWHEN 0 AND NOT (",
      "constraint",
      async (writers) => {
        const { one } = await recorded(writers);
        return raw(writers, `delete from orders where client_id = '${one.clientId}'`);
      },
    ],
  ]),
  ...guardsOf("drizzle/0015_checkpoints.sql", [
    [
      "events: delete from events",
      "CREATE TRIGGER events_stay BEFORE DELETE ON events\nWHEN NOT EXISTS (",
      "CREATE TRIGGER events_stay BEFORE DELETE ON events\nWHEN 0 AND NOT EXISTS (",
      "constraint",
      async (writers) => {
        await writers.start();
        return raw(writers, `delete from events where account = '${writers.account}'`);
      },
    ],
  ]),
  ...guardsOf("drizzle/0014_event_chain.sql", [
    [
      "one event at one place of a chain",
      "CREATE UNIQUE INDEX `events_chain`",
      "CREATE INDEX `events_chain`",
      ["done", "refused"],
      async (writers) => {
        const readOutput = (chain: string) =>
          raw(
            writers,
            `insert into events (account, at, kind, message, chain, seq) values ('', 0, 'kill', '', '${chain}', 1)`,
          );
        const [first, second] = [await readOutput(writers.own), await readOutput(writers.own)];
        return [first, second === "done" ? second : "refused"];
      },
    ],
  ]),
];

/** Every condition on which a statement of the store, or its schema, refuses or leaves something alone. */
export const GUARDS: readonly Guard[] = [...STEP_GUARDS, ...LIMIT_GUARDS, ...ROW_GUARDS, ...SCHEMA_GUARDS];

export const isOfSchema = ({ file }: Guard): boolean => file.startsWith("drizzle/");

export interface Deed {
  /** Of the guard that decides it. */
  readonly name: string;
  readonly url: string;
  /** Starts the names of accounts and ids. No other deed on the same database has it. */
  readonly own: string;
  /** Leaves the guard out of the schema if it is there. */
  readonly isWithout: boolean;
}

/** Returns what comes of a guard's deed on a database, and whether that is what the guard promises. */
export async function prove({ name, url, own, isWithout }: Deed): Promise<{ holds: boolean; was: unknown }> {
  const guard = GUARDS.find((one) => one.name === name);
  if (!guard) throw new Error(`there is no guard "${name}"`);
  const { file, from, to, deed, should } = guard;
  const applied = migrations.map((one) =>
    isWithout && `drizzle/${one.name}` === file ? { ...one, text: replaceOnce(one.text, from, to) } : one,
  );
  const both = await openBoth(url, applied);
  try {
    const was = await deed(twoWriters(both, own));
    return { holds: isDeepStrictEqual(was, should), was };
  } finally {
    both.close();
  }
}

function replaceOnce(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`"${from}" stands ${parts.length - 1} times`);
  return parts.join(to);
}

type Scope = LimitTerms["scopes"][number];

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

/** An order that is recorded under a lease. */
async function recorded({ a, lease, start, order, changes }: Writers, over: object = {}) {
  const strategy = await start();
  const granted = await lease(a, "a");
  const one = order(strategy, over);
  await a.record(granted, [changes({ adopted: [one] })]);
  return { strategy, granted, one };
}
