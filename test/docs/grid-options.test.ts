import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { gridOptions } from "../week/options.ts";

it("docs/grid-options.md matches the plans with and without each option", async () => {
  await expect(await gridOptions(), "npm run docs writes it anew").toMatchFileSnapshot(
    join(root, "docs/grid-options.md"),
  );
});
