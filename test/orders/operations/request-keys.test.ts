import { expect, it } from "vitest";
import { accountKey } from "../../../src/model/account.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

const ORDER = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  amount: 0.001,
  price: 20_000,
} as const;
const KEYS = { key: "a", secret: "b", hash: "h" };

it("looks up an order without a response before the next call with keys of a request", async () => {
  const { deps, time } = await testSandbox();
  const kraken = deps.venue("kraken");
  const account = accountKey(kraken.account);
  const lost: Venue = {
    ...kraken,
    async create(order, permit) {
      await kraken.create(order, permit);
      return { result: "unknown", reason: "no response" };
    },
  };
  const { ask } = askingOf(deps, { actor: "test", keys: KEYS });
  await expect(ask("create_order", ORDER, { venue: () => lost })).rejects.toMatchObject({
    label: "Order unknown",
  });
  expect(await deps.store.hasUnclear(account)).toBe(true);
  time.pass(60_000);
  expect(await ask("list_orders", { exchange: "kraken" })).toMatchObject({ count: 1 });
  expect(await deps.store.hasUnclear(account)).toBe(false);
});
