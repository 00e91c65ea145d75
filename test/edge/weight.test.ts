import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { bundle, bundleKibibytes, wrangler } from "../../cli/build/worker-bundle.mjs";
import { createOperations } from "../../src/operations.ts";
import { workerBundle } from "../support/worker.ts";

beforeAll(() => workerBundle());

it("is uploaded as at most 342 KiB, compressed", () => {
  expect(bundleKibibytes()).toBeLessThan(342);
});

it("tells nothing that documents alone tell: those are made when it is built", () => {
  const text = readFileSync(bundle, "utf8");
  // Short ones are said elsewhere, too.
  const summaries = createOperations(["kraken"]).flatMap(({ summary: one }) => (one.length > 30 ? one : []));
  expect(summaries.length).toBeGreaterThan(20);
  expect(summaries.filter((one) => text.includes(one))).toEqual([]);
});

it("is uploaded as it was built", async () => {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-upload-"));
  try {
    await wrangler("deploy", "--dry-run", "--outdir", folder);
    expect(readFileSync(join(folder, "worker.js")).equals(readFileSync(bundle))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("has of ccxt's classes what is reached, and nothing else", () => {
  const text = readFileSync(bundle, "utf8");
  expect(text).toMatch(/async fetchOHLCV\(/);
  expect(text).not.toMatch(/async (withdraw|transfer|fetchFundingRate|fetchPositions|setLeverage)\(/);
});
