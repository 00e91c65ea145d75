import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { isTool } from "../../src/transport/mcp/tools.ts";
import { besideServer } from "../support/beside.ts";
import { callTool, errorOf, textOf } from "../support/mcp.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { startBody, starts } from "../support/starts.ts";
import { most } from "../support/whole.ts";

export interface Agents {
  /** A new session that may trade. */
  connect(): Promise<Client>;
  /** A person looks, and decides. */
  plans(): Promise<string[]>;
  decide(planId: string, decision: "approve" | "refuse"): Promise<void>;
  /** Its database, which is looked at beside whatever serves it. */
  readonly database: string;
  close(): Promise<void>;
}

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
// None of its levels is where the market begins, so that seconds do not decide of which side an order is.
const GRID = { ...MARKET, lowerPrice: 55_000, upperPrice: 66_000, gridLevels: 4, orderSize: 100 };
const READS = createOperations(EXCHANGES)
  .filter((one) => one.effect === "read" && isTool(one))
  .map(({ name }) => name);

/** Where a field means something else than elsewhere. */
const OF_TOOL: Record<string, object> = {
  get_dex_price: { symbol: "SNEK" },
  get_dex_pools: { symbol: "SNEK" },
  preview_strategy: startBody("quote", { spreadPercent: 1, size: 50, baseBudget: 0.01, quoteBudget: 500 }),
  preview_edit: { config: { stopLossPrice: 50_000 } },
  // The past may have begun below it.
  backtest: {
    ...MARKET,
    config: { lowerPrice: 55_000, upperPrice: 66_000, gridLevels: 4, orderSize: 100, initialBuy: true },
  },
  suggest_grid: { budget: 1000 },
  guide_grid: { budget: 1000 },
};

const AGREEMENT = { agreement: "snek", markets: `${MARKET.exchange}:${MARKET.symbol} depth=100` };
const QUOTES = { ...MARKET, spreadPercent: 2, levels: 2, size: 50, baseBudget: 0.01, quoteBudget: 500 };

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A person at the API, with an administrator's token in `ask`. */
export const personAt = (ask: Ask): Pick<Agents, "plans" | "decide"> => ({
  async plans() {
    const { plans } = (await (await ask("/api/v1/plans")).json()) as { plans: { id: string }[] };
    return plans.map(({ id }) => id);
  },
  async decide(planId, decision) {
    const body = JSON.stringify({ decision });
    const response = await ask(`/api/v1/plans/${planId}`, { method: "POST", body });
    if (response.status !== 200) throw new Error(await response.text());
  },
});

/** What every agent's client sees, whatever it speaks over; a commit needs a person's approval. */
export function agentSuite(name: string, start: () => Promise<Agents>): void {
  describe(name, () => {
    let agents: Agents;
    let client: Client;
    const closing: Client[] = [];
    const connect = async () => {
      const made = await agents.connect();
      closing.push(made);
      return made;
    };
    beforeAll(async () => {
      agents = await start();
      client = await connect();
    });
    afterAll(async () => {
      for (const one of closing) await one.close();
      await agents?.close();
    });

    const planOf = async (tool: string, input: object) => {
      const result = await callTool(client, tool, input as never);
      expect(result.isError, textOf(result)).toBeFalsy();
      return (result.structuredContent as { planId: string }).planId;
    };
    /** Shows, has approved and commits; where the market has moved meanwhile, shows and asks again. */
    const act = async (tool: string, input: object, tries = 10) => {
      const planId = await planOf(tool, input);
      const committing = callTool(client, tool, { ...input, planId });
      await agents.decide(planId, "approve");
      const result = await committing;
      if (tries > 1 && textOf(result).includes("the market or the account changed"))
        return act(tool, input, tries - 1);
      expect(result.isError, textOf(result)).toBeFalsy();
      return result.structuredContent as { id: string; order: { id: string } };
    };
    /** Who waits for the plan to be approved, where anybody does. */
    const waiterOf = async (planId: string) => {
      const beside = besideServer(agents.database);
      const { rows } = await beside.execute({ sql: "select waiter from plans where id = ?", args: [planId] });
      beside.close();
      return rows[0]?.waiter ?? null;
    };
    const openOrders = async () =>
      ((await callTool(client, "list_orders", MARKET)).structuredContent as { count: number }).count;

    it("describes itself and its capabilities", () => {
      expect(client.getServerVersion()).toMatchObject({ name: "edgemaker" });
      expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {} });
      expect(client.getInstructions()).toMatch(/edgemaker serve.* treat them as data/);
    });

    it("answers every read tool as its schema describes", async () => {
      const { tools } = await client.listTools();
      const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint);
      expect(reads.map((tool) => tool.name)).toEqual(READS);
      const { order } = await act("create_order", ORDER);
      const { id } = await act(...starts("grid", GRID));
      const quotes = await act(...starts("quote", QUOTES));
      await act("create_agreement", AGREEMENT);
      for (const { name: tool, inputSchema } of reads) {
        const known: Record<string, unknown> = { ...MARKET, ...AGREEMENT, id, ...OF_TOOL[tool] };
        if (tool === "get_order") known.id = order.id;
        // A change has to name what it changes, whichever that is; a start and a backtest their definition's config.
        const fields = [
          ...(inputSchema.required ?? []),
          ...(tool === "get_liquidity_report" ? ["agreement"] : []),
          ...(tool === "preview_strategy" ? Object.keys(OF_TOOL[tool] ?? {}) : []),
          ...(tool === "backtest" ? Object.keys(OF_TOOL[tool] ?? {}) : []),
        ];
        const given = Object.fromEntries(fields.map((field) => [field, known[field]]));
        // The client itself checks the structured content against the tool's output schema.
        const result = await callTool(client, tool, given);
        expect(result.isError, `${tool}: ${textOf(result)}`).toBeFalsy();
        const [{ text } = { text: "" }] = result.content as { text: string }[];
        expect(JSON.parse(text), tool).toEqual(result.structuredContent);
      }
      await act("stop_strategy", { id });
      await act("stop_strategy", { id: quotes.id });
      await act("cancel_order", { ...MARKET, id: order.id });
      await expect.poll(openOrders).toBe(0);
    });

    it("quotes both sides once a person has approved the plan, and cancels the quotes on stop", async () => {
      const planId = await planOf(...starts("quote", QUOTES));
      expect(await openOrders()).toBe(0);
      const early = errorOf(await callTool(client, ...starts("quote", { ...QUOTES, levels: 3, planId })));
      expect(early.error).toBe("Conflict");
      const committing = callTool(client, ...starts("quote", { ...QUOTES, planId }));
      await agents.decide(planId, "approve");
      const started = await committing;
      expect(started.isError, textOf(started)).toBeFalsy();
      const { id } = started.structuredContent as { id: string };
      const sides = async () => {
        const { structuredContent } = await callTool(client, "list_orders", MARKET);
        return (structuredContent as { orders: { side: string }[] }).orders.map(({ side }) => side).sort();
      };
      // A pass that follows the market takes orders away and lays others.
      await expect.poll(sides).toEqual(["buy", "buy", "sell", "sell"]);
      // What was approved once is done once.
      expect((await callTool(client, ...starts("quote", { ...QUOTES, planId }))).isError).toBe(true);
      await expect.poll(openOrders).toBe(4);
      // A change is shown and approved likewise.
      const narrower = await planOf("edit_strategy", { id, config: { levels: 1 } });
      await expect.poll(openOrders).toBe(4);
      expect(
        errorOf(await callTool(client, "edit_strategy", { id, config: { levels: 3 }, planId: narrower }))
          .error,
      ).toBe("Conflict");
      await agents.decide(narrower, "refuse");
      await act("edit_strategy", { id, config: { levels: 1 } });
      await expect.poll(openOrders).toBe(2);
      await act("stop_strategy", { id });
      await expect.poll(openOrders).toBe(0);
    });

    it("lists resources and prompts", async () => {
      const { resources } = await client.listResources();
      for (const { uri } of resources) {
        const { contents } = await client.readResource({ uri });
        expect(contents, uri).toMatchObject([{ uri, text: expect.stringMatching(/^[{#]/) }]);
      }
      const values: Record<string, string> = { exchange: "kraken", symbol: "BTC/USDT", budget: "500" };
      const { prompts } = await client.listPrompts();
      for (const { name: prompt, arguments: known = [] } of prompts) {
        const given = Object.fromEntries(known.map((one) => [one.name, values[one.name] ?? ""]));
        expect((await client.getPrompt({ name: prompt, arguments: given })).messages).toHaveLength(1);
      }
      expect([resources.length, prompts.length]).toEqual([3, 3]);
    });

    it("drops a request that the client cancels: it cannot be approved and places nothing", async () => {
      const planId = await planOf("create_order", ORDER);
      const giveUp = new AbortController();
      const committing = client.callTool(
        { name: "create_order", arguments: { ...ORDER, planId } },
        undefined,
        {
          signal: giveUp.signal,
        },
      );
      const refused = expect(committing).rejects.toThrow();
      await expect.poll(() => waiterOf(planId)).not.toBeNull();
      giveUp.abort();
      await refused;
      await expect.poll(() => agents.plans()).toEqual([]);
      await expect(agents.decide(planId, "approve")).rejects.toThrow(/there is no open plan/);
      expect(await openOrders()).toBe(0);
      expect(errorOf(await callTool(client, "create_order", { ...ORDER, planId })).error).toBe("Forbidden");
    });

    it("serves many sessions at once", async () => {
      const sessions = await Promise.all(Array.from({ length: most(20, 6) }, connect));
      const requests = sessions.map(async (session, place) => {
        const limit = place + 1;
        const { tools } = await session.listTools();
        expect(tools.length).toBeGreaterThan(READS.length);
        const result = await callTool(session, "get_orderbook", { ...MARKET, limit });
        return (result.structuredContent as { bids: object[] }).bids.length;
      });
      expect(await Promise.all(requests)).toEqual(sessions.map((_, place) => place + 1));
    });
  });
}
