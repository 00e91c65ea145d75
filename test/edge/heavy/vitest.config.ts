import { defineConfig } from "vitest/config";

/** `npm run test:edge`: what is too long for every `npm test`. */
export default defineConfig({
  test: {
    include: ["test/edge/heavy/**/*.run.ts"],
    setupFiles: ["test/support/canary-watch.ts"],
    // Most of them wait for minutes and leases to pass.
    maxWorkers: 2,
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 240_000 } },
    reporters: ["verbose"],
  },
});
