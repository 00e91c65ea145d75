import { expect, it } from "vitest";
import { groupsOf, rootCommand } from "../../cli/commands/root.ts";
import { opened, paper, passOnPaper } from "../../src/backtest/paper-account.ts";
import { RULES } from "../../src/backtest/ticks.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { KINDS } from "../../src/kinds.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { eventNews } from "../../src/notify/news.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { d, market } from "../support/grid.ts";
import { appClient } from "../support/mcp.ts";
import { commandsOf } from "../support/pages.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { actOnFollow } from "./deeds.ts";
import { followKind } from "./follow.ts";

/** The kinds with one that nothing but this file registers. */
const kinds = [...KINDS, followKind as unknown as Kind];

async function followed() {
  const app = await testApp({ kinds });
  const call = async <T>(path: string, method = "GET"): Promise<T> => {
    const response = await app.ask(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: "{}" }),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  await actOnFollow(app.deps, "kraken", { kind: "start", symbol: "BTC/USDT" } as never);
  const [view] = await app.deps.store.strategies({ stopped: false });
  const id = view?.strategy.id ?? "";
  await call("/internal/tick", "POST");
  return { app, call, id };
}

it("a kind of the list alone trades over HTTP, and has a history with its name", async () => {
  const { call, id } = await followed();
  const { orders } = await call<{ orders: unknown[] }>(`/strategies/${id}/orders`);
  expect(orders).toMatchObject([{ kind: "follow", side: "buy", status: "open" }]);
  const { events } = await call<{ events: { kind: string }[] }>(`/strategies/${id}/events`);
  expect(events.map(({ kind }) => kind)).toContain("started");
  expect(await call(`/strategies/${id}/fills`)).toMatchObject({ id, count: 0 });
});

it("a kind of the list alone is listed, and has a status with its own part", async () => {
  const { call, id } = await followed();
  const { strategies } = await call<{ strategies: unknown[] }>("/strategies?definition=follow");
  expect(strategies).toMatchObject([{ id, definition: "follow", openOrders: 1 }]);
  expect(await call(`/strategies/${id}`)).toMatchObject({ id, details: { kind: "follow" } });
});

it("a kind of the list alone has commands, and a place in the help", () => {
  const root = rootCommand(EXCHANGES, [], kinds);
  const paths = commandsOf(root).map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["follow stop", "follow orders", "follow fills", "follow events"]),
  );
  expect(groupsOf(kinds).Trade).toContain("follow");
  expect(commandsOf(root).find(([path]) => path === "follow")?.[1].meta).toMatchObject({
    description: "Follow the bid",
  });
});

it("an agent reads the history of a kind of the list alone", async () => {
  const { app, id } = await followed();
  const client = await appClient(app, "read");
  const { structuredContent } = await client.callTool({ name: "get_strategy_orders", arguments: { id } });
  expect(structuredContent).toMatchObject({ orders: [{ kind: "follow" }] });
});

it("a kind of the list alone trades in a backtest, and its orders fill at past prices", async () => {
  const { app, id } = await followed();
  const strategies = (await app.deps.store.strategies({ stopped: false })).map((view) => view.strategy);
  const strategy = strategies.find((one) => one.id === id) as Strategy;
  const over = market({ tick: d("1") });
  const at = Date.UTC(2026, 0, 1);
  const balances = [{ asset: "USDT", free: d("100000"), used: 0n }];
  const venue = paper(over, RULES, { balances, first: { at, ticks: 60_000 } });
  const options = { kinds: kindsOf(kinds) };
  const first = passOnPaper(opened(strategy), over, venue, at, options);
  expect(first.account.orders).toMatchObject([{ side: "buy", price: d("59999"), state: "submitted" }]);
  venue.moveTo({ at: at + 60_000, ticks: 59_000 });
  const { fills } = passOnPaper(first.account, over, venue, at + 60_000, options);
  expect(fills).toMatchObject([{ side: "buy", price: d("59999"), amount: d("0.5") }]);
});

it("a kind of the list alone sends alerts with its id", async () => {
  const { app, id } = await followed();
  await app.deps.store.setPaused(id, { keepOrders: true }, BY);
  const { events } = await createNotifyStore(app.context, []).newsAfter({ event: 0, fill: 0 }, 100);
  const texts = events.filter(({ strategy }) => strategy === id).map((event) => eventNews(event)?.text);
  expect(texts).toContain(`${id}: asked to pause`);
});
