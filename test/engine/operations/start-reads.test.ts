import { expect, it } from "vitest";
import { describeStart } from "../../../src/engine/operations/start-reads.ts";
import type { Pass } from "../../../src/engine/pass/pass.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import { d } from "../../support/grid.ts";

const STEPPED = { outcome: "stepped" } as Pass;
const GRID = {
  id: "g",
  status: "running",
  phase: "active",
  config: {},
  symbol: "BTC/USDT",
  state: { refused: [] },
} as unknown as Strategy;

it.each([
  [{}, STEPPED, "g is running and its orders are placed"],
  [{ phase: "starting" }, STEPPED, "g is running; more of its orders follow"],
  [{ config: { triggerPrice: d("50") } }, STEPPED, "g is running and its orders are placed"],
  [
    { status: "idle", phase: "starting", config: { triggerPrice: d("50") } },
    STEPPED,
    "g waits until the market reaches 50",
  ],
  [{ status: "idle", phase: "starting" }, STEPPED, "g is idle; more of its orders follow"],
  [{ status: "stopped" }, STEPPED, "g has been started, and stopped since"],
  [
    { status: "idle", config: { triggerPrice: d("50") } },
    undefined,
    "g is stored and idle; its first orders follow with the next pass",
  ],
  [
    { status: "stopped" },
    { outcome: "busy" } as Pass,
    "g is stored and stopped; its first orders follow with the next pass",
  ],
  [
    {},
    { outcome: "failed", message: "no answer" } as Pass,
    "g is stored and running; its first pass failed (no answer) and is tried again",
  ],
])("a start message describes the result of a start of %o", (over, pass, text) => {
  expect(describeStart({ strategy: { ...GRID, ...over } as Strategy, openOrders: 4 }, pass)).toBe(text);
});

it.each([
  [
    { state: { refused: [{ slot: 0, reason: "market_closed" }], closedSince: 1 } },
    "g is running, but no order is placed: the exchange has closed BTC/USDT; its orders follow when the pair trades again",
  ],
  [
    { state: { refused: [{ slot: 0, reason: "no_quote" }] } },
    "g is running, and none of its orders is open now (1 order: there is not enough free quote)",
  ],
  [{}, "g is running, and none of its orders is open now"],
])("a start message never reports placed orders without an open one: %o", (over, text) => {
  expect(describeStart({ strategy: { ...GRID, ...over } as Strategy, openOrders: 0 }, STEPPED)).toBe(text);
});
