import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { SIDES } from "../../model/market.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";

const codedMessage = () => z.object({ code: z.string(), message: z.string() });

const DeclaredOrderShape = lazy(() =>
  z.object({ id: z.string(), side: z.enum(SIDES), price: z.number(), amount: z.number() }),
);

const RefusedOrderShape = lazy(() =>
  z.object({ id: z.string(), reason: z.string(), detail: z.string().optional() }),
);

const runningFields = () => ({
  strategy: z.string().describe("Name of the strategy's definition"),
  exchange: z.string(),
  symbol: z.string(),
  config: z.record(z.string(), z.unknown()),
  budget: z.object({ base: z.string(), quote: z.string() }).describe("Budgets of base and quote"),
});

export const PlannedDeclaredShape = lazy(() =>
  z.object({
    ...runningFields(),
    orders: z.array(DeclaredOrderShape()).describe("Orders to place"),
    refused: z.array(RefusedOrderShape()),
    worstCase: z.string().describe("Maximum loss, as a sentence"),
    warnings: z.array(codedMessage()),
    planHash: z.string(),
  }),
);

export const StartedDeclaredShape = lazy(() =>
  z.object({
    id: z.string(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    message: z.string(),
    ...runningFields(),
    warnings: z.array(codedMessage()),
  }),
);

const DeclaredStatusShape = lazy(() =>
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    dryRun: z.boolean(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    ...runningFields(),
    orders: z.array(DeclaredOrderShape()).describe("Open orders"),
    state: z.unknown().describe("State that its function returned last; null without one"),
    filledOrders: z.number(),
    profit: z.number(),
    totalProfit: z.number().nullable(),
    position: z.string(),
    averageCost: z.number().nullable(),
    refused: z.array(RefusedOrderShape()),
    notices: z.array(codedMessage()),
    startedAt: z.number(),
    lastStepAt: z.number().nullable(),
    lastError: z.string().nullable(),
  }),
);

export const DeclaredStatusesShape = lazy(() =>
  z.object({ strategies: z.array(DeclaredStatusShape()), count: z.number() }),
);

export const DeclaredListShape = lazy(() =>
  z.object({
    strategies: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        dryRun: z.boolean(),
        strategy: z.string(),
        exchange: z.string(),
        symbol: z.string(),
        status: z.enum(STRATEGY_STATUSES),
        stalled: z.boolean().describe("true if there was no pass for three intervals"),
        notices: z.array(codedMessage()),
        startedAt: z.number(),
      }),
    ),
    count: z.number(),
    loaded: z
      .array(
        z.object({
          name: z.string(),
          summary: z.string().nullable(),
          version: z.number().describe("Version of its definition, from 1"),
          config: z.record(z.string(), z.unknown()).describe("JSON schema of its config"),
        }),
      )
      .describe("Strategies that can be started"),
  }),
);
