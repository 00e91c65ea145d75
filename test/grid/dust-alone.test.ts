import { expect, it } from "vitest";
import { gridsView } from "../../src/grid/schema/view.ts";
import { NO_LEDGER } from "../../src/grid/state/state.ts";
import { drivenApp } from "../support/driven.ts";
import { d } from "../support/grid.ts";
import { gridRequest } from "../support/requests.ts";

const RANGE = gridRequest({ useOwnBase: false });

interface Reported {
  readonly strategies: readonly {
    readonly position: string;
    readonly breakEvenPrice: number | null;
    readonly notices: readonly { readonly code: string }[];
  }[];
}

it.each([
  ["0.000004", null, /dust: less than can be sold/],
  ["0.0001", 50_000, /break-even 50000/],
])("with %s BTC alone the break-even price in a status is %s", async (ownBase, price, pattern) => {
  const app = await drivenApp();
  await app.start(RANGE);
  await app.tick();
  const [view] = await app.store.strategies({ stopped: false });
  const strategy = view?.strategy as NonNullable<typeof view>["strategy"];
  // What a fee in base has left over of an order, bought at 50,000.
  const base = d(ownBase);
  const cost = (base * 50_000n) as bigint;
  const state = {
    ...strategy.state,
    idle: [{ base, cost, first: false }],
    ledger: { ...NO_LEDGER, quote: -cost, moved: { BTC: base, USDT: -cost } },
  };
  await app.context.client.execute({
    sql: "update strategies set state = ? where id = ?",
    args: [(await import("../../src/kernel/codec.ts")).encode(state), strategy.id],
  });
  const { body } = await app.call<Reported>("GET", "/strategy/grid/status");
  expect(body.strategies[0]).toMatchObject({ position: ownBase, breakEvenPrice: price });
  expect(JSON.stringify(gridsView(body))).toMatch(pattern);
});
