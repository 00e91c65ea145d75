import { done, FREE, type Guard, guardsOf, idsOf, SETTLED, TERMS, TTL } from "./writers.ts";

/** All that a rate has, which regains next to nothing. */
const CALLS = { calls: 3, kept: 0, rate: { burst: 3, perSecond: 0.001 } };

/** Of leases, and of what is written under them. */
export const STEP_GUARDS: readonly Guard[] = [
  ...guardsOf("src/adapters/libsql/adapter-store.ts", [
    [
      "calls are taken with a lease alone",
      "sql`changes() > 0`",
      "sql`true`",
      [undefined, true],
      async ({ a, b, account, pass, takeLease, start }) => {
        await start();
        await takeLease(a, "a");
        const request = { account, owner: "b", ttl: TTL, overlap: 0, calls: CALLS };
        const refused = await b.takeLease(request);
        pass(TTL);
        return [refused, (await b.takeLease(request))?.isPaid];
      },
    ],
    [
      "and where the rate has them",
      "      setWhere: sql`${wholeAt(now)} + ${COST} <= ${now} + ${WHOLE}`,\n",
      "",
      [true, undefined],
      async ({ a, b, account, pass, start }) => {
        await start();
        const request = { account, ttl: TTL, overlap: 0, calls: CALLS };
        const first = await a.takeLease({ ...request, owner: "a" });
        pass(TTL);
        return [first?.isPaid, (await b.takeLease({ ...request, owner: "b" }))?.isPaid];
      },
    ],
  ]),
  ...guardsOf("src/storage/client/context.ts", [
    [
      "a lease is known by its token",
      " and ${accounts.token} = ${lease.token}",
      "",
      "fenced",
      async ({ a, b, pass, lease, start, order, intend }) => {
        const strategy = await start();
        const old = await lease(a, "a");
        pass(TTL);
        await lease(b, "a");
        return done(intend(old, order(strategy)));
      },
    ],
    [
      "and by its account",
      "${accounts.account} = ${lease.account} and ",
      "",
      "fenced",
      async ({ a, b, account, pass, lease, start, order, intend }) => {
        const strategy = await start();
        // Enough of a head start that no other account's token is the same.
        for (let i = 0; i < 90; i++) {
          await lease(a, "a");
          pass(TTL);
        }
        const old = await lease(a, "a");
        pass(TTL);
        await lease(b, "b");
        await start({ account: `${account}2` });
        for (let i = 0; i < old.token; i++) {
          await lease(b, "a", `${account}2`);
          pass(TTL);
        }
        return done(intend(old, order(strategy)));
      },
    ],
    ...(
      [
        ["wants", "${strategies.wants} = ${wants} and ", { wants: "pause" }],
        ["keepOrders", " and ${strategies.keepOrders} = ${keepOrders}", { keepOrders: true }],
        ["sellBase", "${sameFlags(flags)}", { sellBase: true }],
      ] as const
    ).map(
      ([name, from, wish]) =>
        [
          `what a stop rests on: ${name}`,
          from,
          "",
          "fenced",
          async ({ a, b, lease, start, changes }) => {
            const { id } = await start();
            await b.setWants(id, "stop", { keepOrders: false, sellBase: false });
            const request = { id, wants: "stop", keepOrders: false, sellBase: false, ...wish } as const;
            return done(a.record(await lease(a, "a"), [changes({ wish: request })]));
          },
        ] as Parameters<typeof guardsOf>[1][number],
    ),
    [
      "what a stop rests on: whose it is",
      "${strategies.id} = ${id} and ",
      "",
      "fenced",
      async ({ a, b, lease, start, changes }) => {
        const [{ id }, other] = [await start(), await start()];
        await b.setWants(other.id, "stop", { keepOrders: false, sellBase: false });
        const request = { id, wants: "stop", keepOrders: false, sellBase: false } as const;
        return done(a.record(await lease(a, "a"), [changes({ wish: request })]));
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/pass-store.ts", [
    [
      "the record is fenced",
      "(inserts) => guarded(context, lease, make(inserts))",
      "make",
      "fenced",
      async ({ a, b, pass, lease, start, order, intend }) => {
        const strategy = await start();
        const old = await lease(a, "a");
        pass(TTL);
        await lease(b, "b");
        return done(intend(old, order(strategy)));
      },
    ],
    [
      "the settlement is fenced",
      "(inserts) => guarded(context, lease, make(inserts))",
      "make",
      ["fenced", undefined],
      async ({ a, b, pass, takeLease, lease, start }) => {
        await start();
        const old = await lease(a, "a");
        pass(TTL);
        await lease(b, "b");
        // Settled all the same, it would give back what is the other's.
        return [await done(a.settle(old, SETTLED)), (await takeLease(a, "a"))?.lease.token];
      },
    ],
    [
      "a lease is its holder's until it ends",
      "(not ${isLeased}${isLeft} or ${accounts.owner} = ${owner})",
      "(1${isLeft} or ${accounts.owner} = ${owner})",
      undefined,
      async ({ a, b, takeLease, start }) => {
        await start();
        await takeLease(a, "a");
        return (await takeLease(b, "b"))?.lease.token;
      },
    ],
    [
      "a lease that its owner takes again stays its own",
      " or ${accounts.owner} = ${owner})",
      ")",
      2,
      async ({ a, takeLease, start }) => {
        await start();
        await takeLease(a, "a");
        return (await takeLease(a, "a"))?.lease.token;
      },
    ],
    [
      "a lease is of one account",
      "sql`${accounts.account} = ${account} and (not ${isLeased}",
      "sql`(not ${isLeased}",
      1,
      async ({ a, b, account, takeLease, start }) => {
        await start();
        await start({ account: `${account}2` });
        await takeLease(a, "a");
        return (await takeLease(b, "b", undefined, `${account}2`))?.lease.token;
      },
    ],
    [
      "one pass for one scheduled time",
      " and ${isNewer}",
      "",
      [1, undefined],
      async ({ a, b, pass, takeLease, start }) => {
        await start();
        const first = await takeLease(a, "a", 1000);
        pass(TTL);
        return [first?.lease.token, (await takeLease(b, "b", 1000))?.lease.token];
      },
    ],
    [
      "no scheduled pass while the account backs off",
      " and not ${isBackingOff}`",
      "`",
      undefined,
      async ({ a, b, takeLease, lease, start }) => {
        await start();
        const granted = await lease(a, "a");
        await a.settle(granted, { ...SETTLED, failure: { message: "no", retryAt: granted.now + 60_000 } });
        return (await takeLease(b, "b", granted.now))?.lease.token;
      },
    ],
    [
      "an outcome is one order's",
      "\n        .where(isOrder({ account: lease.account, clientId }))",
      "",
      ["submitted", "pending"],
      async ({ a, b, takeLease, lease, start, order, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        const [one, two] = [order(strategy), order(strategy, { slot: 1 })];
        await intend(granted, one, two);
        const outcome = {
          clientId: one.clientId,
          state: "submitted",
          exchangeId: "1",
          reason: null,
        } as const;
        await a.settle(granted, { ...SETTLED, outcomes: [outcome] });
        return (await takeLease(b, "b"))?.orders.map(({ state }) => state);
      },
    ],
    [
      "a phase is one grid's",
      "db.update(strategies).set({ phase }).where(eq(strategies.id, id))",
      "db.update(strategies).set({ phase })",
      ["placing", "active"],
      async ({ a, b, takeLease, lease, start }) => {
        const one = await start();
        await start();
        await a.settle(await lease(a, "a"), { ...SETTLED, phases: [{ id: one.id, phase: "placing" }] });
        return (await takeLease(b, "b"))?.strategies.map(({ phase }) => phase);
      },
    ],
    [
      "a release is one account's",
      '.where(sql`${accounts.account} = ${sql.placeholder("account")}`)',
      "",
      undefined,
      async ({ a, b, account, takeLease, lease, start }) => {
        await start();
        await start({ account: `${account}2` });
        await lease(b, "b", `${account}2`);
        await a.settle(await lease(a, "a"), SETTLED);
        return (await takeLease(a, "a", undefined, `${account}2`))?.lease.token;
      },
    ],
    [
      "orders by their ids are one account's",
      "and(eq(orders.account, account), named)",
      "named",
      [],
      async ({ a, b, account, lease, start, order, changes }) => {
        const strategy = await start();
        const one = order(strategy, { exchangeId: "7", state: "submitted" });
        await a.record(await lease(a, "a"), [changes({ adopted: [one] })]);
        return b.ordersByIds(`${account}2`, { exchange: [], client: [one.clientId] });
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/snapshot.ts", [
    [
      "a pass knows its own account's grids",
      ".where(and(eq(strategies.account, account), isRunning()))",
      ".where(isRunning())",
      1,
      async ({ a, account, takeLease, start }) => {
        await start({ account: `${account}2` });
        await start();
        return (await takeLease(a, "a"))?.strategies.length;
      },
    ],
    [
      "and of them those that are not stopped",
      ".where(and(eq(strategies.account, account), isRunning()))",
      ".where(eq(strategies.account, account))",
      0,
      async ({ a, takeLease, start }) => {
        await start({ status: "stopped" });
        return (await takeLease(a, "a"))?.strategies.length;
      },
    ],
    [
      "a pass knows its own account's orders",
      "where ${orders.account} = ${account} and ${isUnsettled()} limit",
      "where ${isUnsettled()} limit",
      0,
      async ({ a, b, account, takeLease, start, order }) => {
        await start();
        await b.recordByHand(order(null, { account: `${account}2` }), {
          terms: null,
          limit: null,
          ended: [],
        });
        return idsOf(await takeLease(a, "a")).length;
      },
    ],
    [
      "and of them those that are not settled",
      // Without the condition the index that it is named with could not be used.
      "sql`select * from ${unsettled} where ${orders.account} = ${account} and ${isUnsettled()} limit",
      "sql`select * from ${orders} where ${orders.account} = ${account} limit",
      0,
      async ({ a, b, takeLease, start, order, reject }) => {
        await start();
        const one = order(null);
        await b.recordByHand(one, TERMS);
        await reject(one);
        return idsOf(await takeLease(a, "a")).length;
      },
    ],
    [
      "a pass knows its own account's cursors",
      "queries.select().from(cursors).where(eq(cursors.account, account))",
      "queries.select().from(cursors)",
      {},
      async ({ a, b, account, takeLease, lease, start, changes }) => {
        await start();
        await start({ account: `${account}2` });
        const cursors = { "BTC/USDT": { at: 5, ahead: null } };
        await b.record(await lease(b, "b", `${account}2`), [changes({ cursors })]);
        return (await takeLease(a, "a"))?.cursors;
      },
    ],
    [
      "a pass knows its own account's uses of limits",
      "sql`${limitUses.scope} = ${SCOPE_OF_ACCOUNT} || ${account}`",
      "sql`1`",
      0,
      async ({ a, b, own, takeLease, start }) => {
        await start();
        await b.useLimit({ scope: `token:${own}`, asset: "USDT", notional: 1n, most: null });
        return (await takeLease(a, "a"))?.limitUses.length;
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/pass-store.ts", [
    [
      "a pass's memory is its own account's",
      "db.update(accounts).set({ memory }).where(eq(accounts.account, lease.account))",
      "db.update(accounts).set({ memory })",
      0,
      async ({ a, b, account, takeLease, lease, start, changes }) => {
        await start();
        await start({ account: `${account}2` });
        const granted = await takeLease(a, "a");
        if (!granted) return "busy";
        await a.record(granted.lease, [changes({ memory: { ...granted.memory, turn: 7 } })]);
        return (
          (await lease(b, "b", `${account}2`)) &&
          (await takeLease(b, "b", undefined, `${account}2`))?.memory.turn
        );
      },
    ],
    [
      "a grid's state is its own",
      "db.update(strategies).set(set).where(eq(strategies.id, id))",
      "db.update(strategies).set(set)",
      ["error", "running"],
      async ({ a, b, takeLease, lease, start, changes }) => {
        const { id, version, state, phase } = await start();
        await start();
        const strategy = {
          id,
          version,
          state,
          phase,
          status: "error",
          lastError: "x",
          stoppedAt: null,
        } as const;
        await a.record(await lease(a, "a"), [changes({ strategy })]);
        await a.settle((await takeLease(a, "a"))?.lease ?? (await lease(a, "a")), SETTLED);
        return (await takeLease(b, "b"))?.strategies.map(({ status }) => status);
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/snapshot.ts", [
    [
      "a switch is told of once",
      ", sql`exists(select 1 from ${control} where ${isNews})`)",
      ")",
      0,
      async ({ a, b, contexts }) => {
        await a.setKill(true);
        const count = async () =>
          (await contexts.first.client.execute("select count(*) from events where kind = 'kill'"))
            .rows[0]?.[0];
        const before = Number(await count());
        await b.setKill(true);
        const value = Number(await count()) - before;
        await a.setKill(false);
        return value;
      },
    ],
  ]),
  ...guardsOf("src/adapters/libsql/order-rows.ts", [
    [
      "a client id is its account's own",
      "sql`${orders.account} = ${account} and ${orders.clientId} = ${clientId}`",
      "sql`${orders.clientId} = ${clientId}`",
      "pending",
      async ({ b, account, order, reject }) => {
        const one = order(null);
        const same = { ...one, account: `${account}2` };
        for (const each of [one, same]) await b.recordByHand(each, TERMS);
        await reject(one);
        return (await b.orderByClientId(same.account, same.clientId))?.state;
      },
    ],
    [
      "the kill switch is a condition of each intent",
      "where ${mayPlace(kind)} and ${condition}",
      "where ${condition}",
      0,
      async ({ a, b, lease, start, order, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        await b.setKill(true);
        const recorded = await intend(granted, order(strategy));
        await b.setKill(false);
        return recorded;
      },
    ],
    [
      "a grid's intent asks for its wish to run",
      "sql`${strategies.wants} = 'run'`",
      "sql`1`",
      0,
      async ({ a, b, lease, start, order, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        await b.setPaused(strategy.id, { keepOrders: true });
        return intend(granted, order(strategy));
      },
    ],
    [
      "an exit's intent asks for no pause",
      "sql`${strategies.wants} <> 'pause'`",
      "sql`1`",
      0,
      async ({ a, b, lease, start, order, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        await b.setPaused(strategy.id, { keepOrders: true });
        return intend(granted, order(strategy, { kind: "exit", slot: 1001 }));
      },
    ],
    [
      "an intent asks for its own grid",
      "${strategies.id} = ${strategy} and ${matching}",
      "${matching}",
      0,
      async ({ a, b, lease, start, order, intend }) => {
        const strategy = await start();
        await start();
        const granted = await lease(a, "a");
        await b.setPaused(strategy.id, { keepOrders: true });
        return intend(granted, order(strategy));
      },
    ],
    [
      "an intent meets no order by hand",
      "sql`${request} and not ${MEETS_MANUAL_ORDER}`",
      "request",
      0,
      async ({ a, b, lease, start, order, byHand, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        await byHand(b, { side: "sell" });
        return intend(granted, order(strategy));
      },
    ],
    [
      "of its own account",
      'orders_unsettled_by_hand where ${orders.account} = ${intended("account")} and ',
      "orders_unsettled_by_hand where ",
      1,
      async ({ a, b, account, lease, start, order, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        const theirs = order(null, { side: "sell", account: `${account}2` });
        await b.recordByHand(theirs, TERMS);
        return intend(granted, order(strategy));
      },
    ],
    [
      "of its own pair",
      "${orders.symbol} = ${intended(\"symbol\")} and ${orders.kind} = 'hand'",
      "${orders.kind} = 'hand'",
      1,
      async ({ a, b, lease, start, order, byHand, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        await byHand(b, { side: "sell", symbol: "ETH/USDT" });
        return intend(granted, order(strategy));
      },
    ],
    [
      "an order by hand meets none of ours",
      "const condition = sql`not exists(select 1 ${from})`;",
      "const condition = sql`1`;",
      "meets",
      async ({ a, b, lease, start, order, byHand, intend }) => {
        const strategy = await start();
        await intend(await lease(a, "a"), order(strategy));
        return byHand(b, { side: "sell" });
      },
    ],
    [
      "of its own account, by hand",
      "const others = sql`${orders.account} = ${order.account} and ",
      "const others = sql`",
      "recorded",
      async ({ a, b, account, order, byHand }) => {
        await a.recordByHand(order(null, { account: `${account}2` }), {
          terms: null,
          limit: 10n ** 18n,
          ended: [],
        });
        return byHand(b, { side: "sell" });
      },
    ],
    [
      "of its own pair, by hand",
      "${orders.symbol} = ${order.symbol} and ${mayBeMetRow()} and ${isMetBy",
      "${mayBeMetRow()} and ${isMetBy",
      "recorded",
      async ({ a, b, byHand }) => {
        await byHand(a, { symbol: "ETH/USDT" });
        return byHand(b, { side: "sell" });
      },
    ],
    [
      "but for those that the exchange has told to have ended",
      " and ${notInArray(orders.clientId, [...ended])}",
      "",
      "recorded",
      async ({ a, b, order, byHand }) => {
        const one = order(null);
        await a.recordByHand(one, TERMS);
        return byHand(b, { side: "sell" }, { ended: [one.clientId] });
      },
    ],
    [
      "limits refuse no exit",
      'terms && kind !== "exit" ?',
      "terms ?",
      1,
      async ({ a, lease, start, order, changes }) => {
        const strategy = await start();
        const exit = order(strategy, { kind: "exit", slot: 1001 });
        const terms = { ...FREE, version: 99 };
        return (await a.record(await lease(a, "a"), [changes({ intents: [exit], terms })])).size;
      },
    ],
    [
      "what becomes of an order is its own",
      "db.update(orders).set(life).where(isOrder({ account, clientId }))",
      "db.update(orders).set(life).where(sql`${orders.account} = ${account}`)",
      ["open", "pending"],
      async ({ a, b, takeLease, lease, start, order, changes, intend }) => {
        const strategy = await start();
        const granted = await lease(a, "a");
        const [one, two] = [order(strategy), order(strategy, { slot: 1 })];
        await intend(granted, one, two);
        await a.record(granted, [changes({ orders: [{ ...one, state: "open" }] })]);
        await a.settle(granted, SETTLED);
        return (await takeLease(b, "b"))?.orders.map(({ state }) => state);
      },
    ],
  ]),
];
