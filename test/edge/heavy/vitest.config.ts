import { defineConfig } from "vitest/config";

/** `npm run test:edge`: what is too long for every `npm test`, one file after the other. */
export default defineConfig({
  test: {
    include: ["test/edge/heavy/**/*.run.ts"],
    setupFiles: ["test/support/canary-watch.ts"],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    reporters: ["verbose"],
  },
});
