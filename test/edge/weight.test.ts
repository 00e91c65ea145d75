import { expect, it } from "vitest";
import { bundleKibibytes } from "../../cli/build/worker-bundle.mjs";
import { workerBundle } from "../support/worker.ts";

it("is uploaded as at most 404 KiB, compressed", async () => {
  await workerBundle();
  expect(bundleKibibytes()).toBeLessThan(404);
});
