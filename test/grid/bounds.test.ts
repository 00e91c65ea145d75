import { describe, expect, it } from "vitest";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { startBody } from "../support/starts.ts";

const where = { exchange: "kraken", symbol: "BTC/USDT" };
const range = { ...where, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 10, orderSize: 100 };

describe("an unrealistic number is rejected before any calculation uses it:", () => {
  it.each<[string, string, object, string]>([
    ["an upper price of 1e308", "grid", { ...range, lowerPrice: 1e307, upperPrice: 1e308 }, "Invalid range"],
    [
      "a geometric one",
      "grid",
      { ...range, upperPrice: 1e308, gridLevels: 100, spacingModel: "geometric" },
      "Invalid range",
    ],
    ["1,001 times the market's price", "grid", { ...range, upperPrice: 61_000_000 }, "Invalid range"],
    ["such a take-profit price", "grid", { ...range, takeProfitPrice: 61_000_000 }, "Invalid price"],
    ["such a trigger", "grid", { ...range, triggerPrice: 1e11 }, "Invalid price"],
    ["such a trail", "grid", { ...range, trail: { up: 1e11 } }, "Invalid price"],
    ["a spacing of 1e300", "grid", { ...range, gridSpacing: 1e300 }, "Invalid spacing"],
    ["an order size of 1e300", "grid", { ...range, orderSize: 1e300 }, "Invalid order size"],
    ["a centered one", "centered", { ...where, size: 1e300 }, "Invalid order size"],
    ["a factor of 1e300", "centered", { ...where, spacingFactor: 1e300 }, "Invalid spacing"],
    ["a weight of 1e300", "centered", { ...where, sizeWeights: [1e300] }, "Invalid order size"],
    ["a deviation of 1e300", "centered", { ...where, deviation: 1e300 }, "Invalid request"],
    [
      "a balance of 60,000 digits",
      "grid",
      { ...range, dryRun: true, dryBalance: `USDT=${"9".repeat(60_000)}` },
      "Invalid request",
    ],
    [
      "a balance of 40 digits",
      "grid",
      { ...range, dryRun: true, dryBalance: `USDT=${"9".repeat(40)}` },
      "Invalid request",
    ],
  ])("%s", async (_what, definition, body, label) => {
    const app = await testApp();
    const answer = await app.ask("/api/v1/strategies/preview", {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer(app.tokens.admin) },
      body: JSON.stringify(startBody(definition, body)),
    });
    expect({ status: answer.status, error: (await answer.json()).error }).toEqual({
      status: 400,
      error: label,
    });
  });
});
