import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { VenueName } from "../../src/model/market.ts";
import { appOver } from "../support/app.ts";
import { edgemaker } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { KEYS } from "../support/live.ts";
import { appClient, callTool, errorOf } from "../support/mcp.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";
import type { Route } from "./dialect.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

/** A code that nobody has written down, and one that is a definite refusal, as each exchange would say it. */
const WORDS: Record<VenueName, { readonly open: string; readonly definite: string; readonly text: string }> =
  {
    mexc: { open: "99999", definite: "30016", text: "Trading disabled" },
    gateio: {
      open: "LABEL_OF_TOMORROW",
      definite: "INVALID_CURRENCY_PAIR",
      text: "The currency pair is not tradable",
    },
    bitget: {
      open: "49999",
      definite: "40085",
      text: "You are in Unified Account mode, and the Classic Account API is not supported at this time",
    },
    kraken: {
      open: "EOrder:A word of tomorrow",
      definite: "EAccount:Invalid permissions",
      text: "BTC trading restricted for DE.",
    },
  };
/** Which route a lookup by our own id takes once, and no other read does. */
const LOOKUP: Record<VenueName, Route> = {
  mexc: "order",
  gateio: "order",
  bitget: "order",
  kraken: "closed",
};
const NAMES = Object.keys(WORDS) as VenueName[];
/** Colours a terminal, turns the reading direction, carries a key, and does not end. */
const NASTY = `\u001b[31m\u202Ered\u202C\u0000 key=${KEYS.key} ${KEYS.secret} ${"very ".repeat(200)}long`;

const ORDER = { symbol: "BTC/USDT", side: "buy", type: "limit", amount: 0.001, price: 50_000 };

interface Grid {
  readonly status: string;
  readonly phase: string;
  readonly lastError: string | null;
  readonly refused: readonly { readonly slot: number; readonly reason: string; readonly detail?: string }[];
}

describe.each(NAMES)("the words of a refusal by %s", (name) => {
  const words = WORDS[name];
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  let exchange: EmulatedVenue;
  let app: Awaited<ReturnType<typeof appOver>>;
  let count = 0;

  beforeAll(async () => {
    const timing = {
      requestTimeout: 10 * SECOND,
      leaseTtl: 16 * SECOND,
      readLag: 5 * SECOND,
      secondMiss: 5 * SECOND,
      backoff: { first: 60 * SECOND, max: 600 * SECOND },
    };
    setup = await emulatedExchanges({ names: [name], timing });
    exchange = setup.exchange(name);
    app = await appOver(setup.deps, { trading: true, confirm: "plan" });
  });
  beforeEach(() => exchange.heal());
  afterAll(() => setup.close());

  const say = (code: string, text = words.text, times = 1) =>
    exchange.fail({ kind: "says", route: "create", code, text, times });
  const post = async () => {
    const response = await app.ask("/api/v1/orders", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify({ ...ORDER, exchange: name, clientOrderId: `said${++count}` }),
    });
    return (await response.json()) as { error: string; message: string };
  };
  const isPlain = (text: string) => {
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    for (const secret of [KEYS.key, KEYS.secret]) expect(text).not.toContain(secret);
    expect(text.length).toBeLessThan(400);
  };

  it("are in the HTTP response, definite or not", async () => {
    say(words.definite);
    const definite = await post();
    expect(definite.error).toBe("Order failed");
    say(words.open);
    const open = await post();
    expect(open.error).toBe("Order unknown");
    for (const [{ message }, code] of [
      [definite, words.definite],
      [open, words.open],
    ] as const) {
      expect(message).toContain(code);
      expect(message).toContain(words.text);
    }
    const account = accountKey(setup.deps.venue(name).account);
    expect(await setup.deps.store.orderByClientId(account, `said${count}`)).toMatchObject({
      state: "unknown",
      reason: expect.stringContaining(words.text),
    });
  });

  it("are data: a bounded line without keys or terminal control characters", async () => {
    for (const code of [words.definite, words.open]) {
      say(code, NASTY);
      const { message } = await post();
      expect(message).toContain("red");
      isPlain(message);
    }
  });

  it("are in the response to an agent", async () => {
    const client = await appClient(app, "trade");
    const input = { ...ORDER, exchange: name };
    for (const [code, error] of [
      [words.definite, "Order failed"],
      [words.open, "Order unknown"],
    ] as const) {
      const { planId } = (await callTool(client, "create_order", input)).structuredContent as {
        planId: string;
      };
      say(code);
      const result = errorOf(await callTool(client, "create_order", { ...input, planId }));
      expect(result.error).toBe(error);
      // Apart from our own sentence: it is data.
      expect(result.message).not.toContain(words.text);
      expect(result.said).toContain(words.text);
    }
  });

  describe("for a grid", () => {
    let id = "";
    const ofGrid = async (): Promise<Grid> =>
      (await runOperation<{ strategies: Grid[] }>(setup.deps, "get_grid_status", { id }))
        .strategies[0] as Grid;
    const events = async () =>
      (
        await runOperation<{ events: { kind: string; message: string }[] }>(
          setup.deps,
          "get_strategy_events",
          {
            id,
          },
        )
      ).events;
    const sent = () => exchange.count("create");
    const pass = async (after = 5 * SECOND) => {
      setup.time.pass(after);
      exchange.advance();
      await runRound(setup.deps);
    };
    const passUntil = async (holds: () => Promise<boolean>, after?: number) => {
      for (let passes = 0; !(await holds()); passes++) {
        if (passes > 200) throw new Error("it never came so far");
        await pass(after);
      }
    };
    const start = async () => {
      ({ id } = await runOperation<{ id: string }>(
        setup.deps,
        "start_grid",
        gridInput({
          exchange: name,
          lowerPrice: decimal("50000"),
          upperPrice: decimal("56000"),
          gridLevels: 2,
        }),
      ));
    };

    it("are in its state if indefinite, and it retries less often after three", async () => {
      await passUntil(
        async () => !(await setup.deps.store.hasUnclear(`live:${name}:${new URL(exchange.url).host}`)),
      );
      say(words.open, words.text, 1000);
      await start();
      await passUntil(async () => (await ofGrid()).refused.length === 2);
      const first = await ofGrid();
      expect(first.lastError).toContain(words.text);
      for (const { reason, detail } of first.refused)
        expect([reason, detail]).toEqual(["unclear", expect.stringContaining(words.text)]);

      const before = sent();
      await passUntil(async () => (await events()).filter(({ kind }) => kind === "lost").length === 6);
      // Three orders of each of two slots, the first of which had been sent.
      expect(sent() - before).toBe(4);
      for (const { message } of (await events()).filter(
        ({ kind }) => kind !== "status" && kind !== "started",
      )) {
        expect(message).toContain(words.text);
        expect(message).not.toMatch(/never reached/);
      }
      const resting = await ofGrid();
      expect(resting.refused.map(({ reason }) => reason)).toEqual(["rejected", "rejected"]);
      expect(resting.lastError).toContain(words.text);
      for (let passes = 0; passes < 10; passes++) await pass();
      expect(sent() - before).toBe(4);

      exchange.heal();
      await passUntil(async () => (await ofGrid()).refused.length === 0);
      expect((await ofGrid()).lastError).toBeNull();
      await runOperation(setup.deps, "stop_strategy", { id, cancelOrders: true });
      await passUntil(async () => (await ofGrid()).status === "stopped");
    });

    it("cause at most six lookups of an order, which ends as rejected", async () => {
      say(words.open, words.text, 1000);
      exchange.resetCounts();
      await start();
      const lost = async () => (await events()).filter(({ kind }) => kind === "lost").length;
      await passUntil(async () => (await lost()) === 2, SECOND);
      const ended = (await setup.deps.store.ordersOf(id, { limit: 100 })).filter(
        ({ state, reason }) => state === "rejected" && reason?.includes(words.open),
      );
      expect(ended.map(({ reason }) => reason)).toEqual(
        Array(2).fill(expect.stringMatching(`${words.text}.*; the exchange shows no such order`)),
      );
      expect(exchange.count(LOOKUP[name])).toBeLessThanOrEqual(12);
      exchange.heal();
      await runOperation(setup.deps, "stop_strategy", { id, cancelOrders: true });
      await passUntil(async () => (await ofGrid()).status === "stopped");
    });

    it("are in its state and its events if definite", async () => {
      say(words.definite, NASTY, 1000);
      await start();
      await passUntil(async () => (await ofGrid()).refused.length === 2);
      const { refused, lastError } = await ofGrid();
      expect(refused.map(({ reason }) => reason)).toEqual(["rejected", "rejected"]);
      expect(lastError).toContain(words.definite);
      for (const one of [lastError, refused[0]?.detail]) isPlain(one ?? "");
      const results = (await events()).filter(({ kind }) => kind === "rejected");
      expect(results).toHaveLength(2);
      for (const { message } of results) expect(message).toContain(words.definite);
      exchange.heal();
      await runOperation(setup.deps, "stop_strategy", { id, cancelOrders: true });
      await passUntil(async () => (await ofGrid()).status === "stopped");
    });
  });
});

it("an exchange's words are in the output of the command line", async () => {
  const venue = await startVenue("kraken");
  onTestFinished(() => venue.close());
  const env = {
    EDGEMAKER_VENUE_URLS: `kraken=${venue.url}`,
    KRAKEN_API_KEY: venue.keys.key,
    KRAKEN_SECRET: venue.keys.secret,
  };
  const { definite, text } = WORDS.kraken;
  venue.fail({ kind: "says", route: "create", code: definite, text: `${text} \u001b[31m` });
  const order = Object.entries({ ...ORDER, exchange: "kraken" }).flatMap(([flag, value]) => [
    `--${flag}`,
    String(value),
  ]);
  const { code, stderr } = await edgemaker(tempFolder(), ["orders", "create", ...order], env);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`Order failed: the exchange rejected the order: ${definite}:${text}`),
  ]);
  expect(stderr).not.toContain("\u001b");
});
