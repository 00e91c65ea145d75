import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { PACKAGE } from "./test/support/package-alias.ts";
import { STARTS_PROGRAMS } from "./test/support/starts-programs.ts";

/** Each of these wants a process to itself: it plants leaks, or hears of keys. */
const ALONE = [
  "test/adapters/ccxt/client/light-instances.test.ts",
  "test/check/canary.test.ts",
  "test/pentest/requests.test.ts",
  "test/venues/process.test.ts",
];

/** Folders whose tests start programs: the command line, servers, emulated exchanges, Chromium, workerd. */
const FOLDERS = [
  "cli",
  "commands",
  "control",
  "docs",
  "edge",
  "mcp",
  "pentest",
  "processes",
  "smoke",
  "venues",
  "web",
];

const PROGRAMS = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => join("test", path))
  .filter((path) => path.endsWith(".test.ts"))
  .filter(
    (path) =>
      FOLDERS.includes(path.split("/")[1] as string) || STARTS_PROGRAMS.test(readFileSync(path, "utf8")),
  );

export default defineConfig({
  resolve: { alias: PACKAGE },
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/canary-watch.ts", "test/support/drawn.ts"],
    // Many tests wait for processes: more of them than cores may run at once.
    maxWorkers: 4,
    // Longer than the longest wait within a test, so that a wait that fails is reported, however slow the machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000 } },
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      // To load ccxt anew for each file would take a third of the whole.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...ALONE, ...PROGRAMS, "test/runtimes"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "programs", include: PROGRAMS, exclude: ALONE, isolate: false } },
    ],
  },
});
