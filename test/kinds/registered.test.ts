import { expect, it } from "vitest";
import * as z from "zod";
import { groupsOf, rootCommand } from "../../cli/commands/root.ts";
import { opened, paper, passOnPaper } from "../../src/backtest/paper-account.ts";
import { RULES } from "../../src/backtest/ticks.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { gridLife } from "../../src/grid/operations/start.ts";
import { kindsWith, STRATEGY_KINDS, type StrategyKind } from "../../src/kinds.ts";
import { NO_EXPOSURE } from "../../src/model/proposal.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { eventNews } from "../../src/notify/news.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import { operation } from "../../src/operation.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { KIND_PATHS } from "../../src/web/strategy/kind-paths.ts";
import { testApp } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { d, market } from "../support/grid.ts";
import { appClient } from "../support/mcp.ts";
import { commandsOf } from "../support/pages.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { actOnFollow } from "./deeds.ts";
import { followKind } from "./follow.ts";

const startFollow = operation({
  name: "start_follow",
  summary: "Follow the bid with one order",
  effect: "admin",
  access: "token",
  http: { route: "POST /strategy/follow", from: "body" },
  cli: { path: "follow start" },
  input: () => z.object({}),
  output: () => z.object({ id: z.string() }),
  failure: "Internal error",
  async run(deps) {
    await actOnFollow(deps, "kraken", { kind: "start", symbol: "BTC/USDT" } as never);
    const [view] = await deps.store.strategies({ stopped: false });
    return { id: view?.strategy.id ?? "" };
  },
});

/** A kind that nothing but this file registers. */
const FOLLOW: StrategyKind = {
  kindWith: () => followKind as unknown as Kind,
  name: "follow",
  group: "follow",
  life: {
    ...gridLife,
    onPause: "cancel",
    // Its own operation starts it.
    forms: () => [],
    editForms: () => [],
    readStart: async () => Promise.reject(new Error("it is started by its own operation")),
    readUse: async () => ({ base: 0n, quote: 0n }),
    planDetails: () => z.object({ kind: z.literal("follow") }),
    planLines: () => ({}),
    readExposure: async () => NO_EXPOSURE,
    describeUse: () => "one order",
  },
  summary: "Follow the bid",
  tag: { name: "Followers", description: "One order at the bid" },
  operations: () => [startFollow],
};

const kinds = [...STRATEGY_KINDS, FOLLOW];

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
  const { id } = await call<{ id: string }>("/strategy/follow", "POST");
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

it("a kind of the list alone has a group in the OpenAPI document", async () => {
  const { app } = await followed();
  const document = (await (await app.ask("/openapi.json")).json()) as {
    readonly tags: readonly { readonly name: string }[];
    readonly paths: Record<string, Record<string, { readonly tags: readonly string[] }>>;
  };
  expect(document.tags).toContainEqual(FOLLOW.tag);
  expect(document.paths["/strategy/follow"]?.post?.tags).toEqual(["Followers"]);
  expect(document.paths["/strategies/{id}/orders"]?.get?.tags).toEqual(["Strategies"]);
});

it("a kind of the list alone has commands, and a place in the help", () => {
  const root = rootCommand(EXCHANGES, [], kinds);
  const paths = commandsOf(root).map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["follow start", "follow orders", "follow fills", "follow events"]),
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
  const options = { kinds: kindsOf(kindsWith([], kinds)) };
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

// The page is compiled: a kind that only a test registers has no page, and a kind of the list needs one.
it("each kind of the list has a page", () => {
  expect(Object.keys(KIND_PATHS)).toEqual(STRATEGY_KINDS.map(({ name }) => name));
});
