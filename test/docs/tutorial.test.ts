import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { tutorial } from "../week/tutorial.ts";

it("docs/tutorial.md matches a first sitting of typed commands and their output", async () => {
  await expect(await tutorial(), "npm run docs writes it anew").toMatchFileSnapshot(
    join(root, "docs/tutorial.md"),
  );
});
