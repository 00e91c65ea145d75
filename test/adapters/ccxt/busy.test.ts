import { expect, it } from "vitest";
import { accountKey } from "../../../src/model/account.ts";
import { liveApp } from "../../support/live.ts";
import { buy, del, post } from "../../support/orders.ts";

// On kraken an order by hand waits for the account's lease, which a pass may hold for longer than a person waits.
it("answers 429 to a manual order and a cancel while another process has kraken's account", async () => {
  const app = await liveApp(["kraken"]);
  const placed = (await (await post(app, buy("kraken"))).json()) as { order: { id: string } };
  const account = accountKey(app.deps.venue("kraken").account);
  const lease = { account, owner: "another process", ttl: 45_000, overlap: 0 };
  expect(await app.deps.store.takeLease(lease)).toBeDefined();
  const answers = await Promise.all([
    post(app, buy("kraken")),
    del(app, `/orders/${placed.order.id}?exchange=kraken&symbol=BTC/USDT`),
  ]);
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({ error: "Too many requests" });
    expect({ status: answer.status, again: answer.headers.get("retry-after") }).toEqual({
      status: 429,
      again: "5",
    });
  }
  expect(app.venues.kraken.count("create")).toBe(1);
  expect(app.venues.kraken.count("cancel")).toBe(0);
});
