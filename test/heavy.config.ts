import { defineConfig } from "vitest/config";
import { PACKAGE } from "./support/package-alias.ts";

/** Tables and runs of which every `npm test` walks a part (test/support/whole.ts). */
const WALKED = [
  "test/backtest/driftless.test.ts",
  "test/backtest/jump.test.ts",
  "test/backtest/measured.test.ts",
  "test/backtest/quotes.test.ts",
  "test/backtest/fast/fast-options.test.ts",
  "test/backtest/tape-properties.test.ts",
  "test/backtest/real.test.ts",
  "test/commands/every.test.ts",
  "test/own/grid-example.test.ts",
  "test/adapters/ccxt/canary.test.ts",
  "test/simulation/exposure/exposure.test.ts",
  "test/venues/payloads.test.ts",
  "test/pentest/requests.test.ts",
  "test/backtest/properties.test.ts",
  "test/grid/start-many.test.ts",
  "test/grid/shown-worst-case.test.ts",
  "test/mcp/stdio.test.ts",
  "test/venues/order-faults.test.ts",
  "test/adapters/ccxt/orders.test.ts",
  "test/adapters/sandbox/course.test.ts",
  "test/adapters/sandbox/venue.test.ts",
  "test/grid/centered-markets.test.ts",
  "test/venues/grid.test.ts",
  "test/model/model.test.ts",
  "test/transport/http.test.ts",
  "test/quote/avellaneda.test.ts",
  "test/quality/defence.test.ts",
  "test/quality/month.test.ts",
  "test/quote/uptime.test.ts",
  "test/liquidity/uptime.test.ts",
  "test/simulation/golden/golden.test.ts",
  "test/simulation/simulation.test.ts",
  "test/world/alike.test.ts",
  "test/world/waits.test.ts",
  "test/world/world.test.ts",
];

/** `npm run test:heavy`: what takes too long for every `npm test`. That of the edge is `npm run test:edge`. */
export default defineConfig({
  resolve: { alias: PACKAGE },
  test: {
    include: [
      "test/processes/*.run.ts",
      "test/backtest/*.run.ts",
      "test/candles/*.run.ts",
      "test/grid/*.run.ts",
      "test/venues/*.run.ts",
      ...WALKED,
    ],
    env: { WHOLE: "1" },
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/canary-watch.ts", "test/support/drawn.ts"],
    // Most of them wait for servers half of the time.
    maxWorkers: 3,
    // What hangs is told, however slow the machine.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 240_000 } },
    reporters: ["verbose"],
  },
});
