import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { week } from "../week/week.ts";

it("docs/a-week.md matches a week of typed commands and their output", async () => {
  await expect(await week(), "npm run docs writes it anew").toMatchFileSnapshot(join(root, "docs/a-week.md"));
});
