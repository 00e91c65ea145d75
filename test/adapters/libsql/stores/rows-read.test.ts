import { expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { createLiquidityStore } from "../../../../src/liquidity/store/store.ts";
import type { SafeClient } from "../../../../src/storage/client/call-queue.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { order } from "../../../support/made.ts";
import { opened } from "./opened.ts";

const MINE = "sandbox:kraken:";
const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;

/** How many rows a question is answered by. */
async function rowsOf(client: SafeClient, ask: () => Promise<unknown>): Promise<number> {
  const { execute, fresh } = client;
  let rows = 0;
  const counting =
    (call: typeof execute): typeof execute =>
    async (...requests) => {
      const result = await call(...requests);
      rows += result.rows.length;
      return result;
    };
  Object.assign(client, { execute: counting(execute), fresh: counting(fresh) });
  await ask();
  Object.assign(client, { execute, fresh });
  return rows;
}

it("reads one row where one is requested, however many there are", async () => {
  const { context } = await opened();
  const [store, liquidity] = [createStore(context), createLiquidityStore(context)];
  for (const name of ["a", "b", "c"]) {
    await store.addToken({ id: name, name, scope: "trade", hash: name, expiresAt: null }, BY);
    const byHand = { strategy: null, kind: "hand", state: "pending", exchangeId: null } as const;
    const one = order({ clientId: name, account: MINE, ...byHand });
    await store.recordByHand(one, { terms: null, limit: d("100"), ended: [] }, BY);
  }
  for (const minute of [7, 8, 9]) {
    const nothing = {
      spread: null,
      ownSpread: null,
      ownDepth: null,
      depth: null,
      deviation: null,
      absence: null,
    };
    const ownOrders = { bids: 0, asks: 0 };
    await liquidity.keep(PAIR, {
      minute,
      samples: 1,
      sources: 1,
      isCutShort: false,
      ownOrders,
      ...nothing,
    } as never);
  }
  const chain = (await store.eventsAfter(0, 1))[0]?.chain ?? "";
  const request = {
    placeBefore: () => store.placeBefore(chain, 9),
    hasTokens: () => store.hasTokens(),
    hasUnclear: () => store.hasUnclear(MINE),
    since: () => liquidity.since(PAIR),
  };
  for (const [name, ask] of Object.entries(request))
    expect([name, await rowsOf(context.client, ask)]).toEqual([name, 1]);
});
