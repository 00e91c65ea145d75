import * as z from "zod";
import {
  budgetOut,
  changedFields,
  listedFields,
  placedFields,
  statusFields,
  warnings,
} from "../../engine/operations/shapes.ts";
import { lazy } from "../../kernel/lazy.ts";

const DeclaredOrderShape = lazy(() => z.object({ id: z.string(), ...placedFields() }));

const RefusedOrderShape = lazy(() =>
  z.object({ id: z.string(), reason: z.string(), detail: z.string().optional() }),
);

const runningFields = () => ({
  strategy: z.string().describe("Name of the strategy's definition"),
  exchange: z.string(),
  symbol: z.string(),
  config: z.record(z.string(), z.unknown()),
  budget: budgetOut(),
});

export const PlannedDeclaredShape = lazy(() =>
  z.object({
    ...runningFields(),
    orders: z.array(DeclaredOrderShape()).describe("Orders to place"),
    refused: z.array(RefusedOrderShape()),
    worstCase: z.string().describe("Maximum loss, as a sentence"),
    warnings: warnings(),
    planHash: z.string(),
  }),
);

export const StartedDeclaredShape = lazy(() =>
  z.object({
    ...changedFields(),
    ...runningFields(),
    warnings: warnings(),
  }),
);

const DeclaredStatusShape = lazy(() =>
  z.object({
    ...statusFields(),
    ...runningFields(),
    orders: z.array(DeclaredOrderShape()).describe("Open orders"),
    state: z.unknown().describe("State that its function returned last; null without one"),
    refused: z.array(RefusedOrderShape()),
  }),
);

export const DeclaredStatusesShape = lazy(() =>
  z.object({ strategies: z.array(DeclaredStatusShape()), count: z.number() }),
);

export const DeclaredListShape = lazy(() =>
  z.object({
    strategies: z.array(z.object({ ...listedFields(), strategy: z.string() })),
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
