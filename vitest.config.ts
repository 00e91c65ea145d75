import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/canary-watch.ts"],
    // Many tests wait for processes: more of them than cores may run at once.
    maxWorkers: 4,
    // What hangs is told, however slow the machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
