import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { losingPathsPage } from "../support/losing-paths.ts";

it("docs/when-a-grid-loses.md matches what the backtest computes", async () => {
  await expect(losingPathsPage(), "npm run docs writes it anew").toMatchFileSnapshot(
    join(root, "docs/when-a-grid-loses.md"),
  );
});
