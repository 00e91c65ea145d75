import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { cliPage, mcpPage } from "../support/pages.ts";

it.each([
  ["docs/cli.md", cliPage],
  ["docs/mcp.md", mcpPage],
])("%s matches the operations and commands", async (file, page) => {
  await expect(page(), "npm run docs writes it anew").toMatchFileSnapshot(join(root, file));
});
