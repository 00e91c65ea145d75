import { done, type Guard, guardsOf, type Writers } from "./writers.ts";

/** An order that is recorded under a lease. */
async function recorded({ a, lease, start, order, changes }: Writers, over: object = {}) {
  const strategy = await start();
  const granted = await lease(a, "a");
  const one = order(strategy, over);
  await a.record(granted, [changes({ adopted: [one] })]);
  return { strategy, granted, one };
}

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
