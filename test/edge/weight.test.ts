import { beforeAll, expect, it } from "vitest";
import { bundleKibibytes } from "../../cli/build/worker-bundle.mjs";
import { workerBundle } from "../support/worker.ts";

beforeAll(() => workerBundle());

it("the worker upload is at most 720 KiB, gzipped", () => {
  expect(bundleKibibytes()).toBeLessThan(720);
});
