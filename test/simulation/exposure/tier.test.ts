import { expect, it } from "vitest";
import { exposureTier } from "./tier.ts";

it("the exposure tier bundles its worker with the real adapters, and runs it on a thread", async () => {
  const [figures] = await exposureTier(1, 2, { workers: 1 });
  expect(figures).toMatchObject({ title: "exposure", failed: [] });
  expect(figures?.text).toContain("2 sequences");
});
