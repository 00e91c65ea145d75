import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { essentialsText } from "../drift/essentials.ts";
import { AGENT_FILES } from "../support/agent-files.ts";
import { root } from "../support/bundle.ts";
import { cliPages, mcpPage } from "../support/pages.ts";
import { testingPage } from "../support/testing-page.ts";

const PAGES: readonly (readonly [string, () => string])[] = [
  ...[...cliPages()].map(([file, page]): readonly [string, () => string] => [`docs/${file}`, () => page]),
  ["docs/mcp-tools.md", mcpPage],
  ["docs/testing.md", testingPage],
  ...Object.entries(AGENT_FILES),
];

it.each(PAGES)("%s matches the operations and commands", async (file, page) => {
  await expect(page(), "npm run docs writes it anew").toMatchFileSnapshot(join(root, file));
});

it("docs/exchanges.md prints the list of essential fields", async () => {
  const file = join(root, "docs/exchanges.md");
  const [before = "", after = ""] = readFileSync(file, "utf8").split(
    /(?<=<!-- essential fields -->\n)[\s\S]*(?=<!-- end of essential fields -->)/,
  );
  await expect(`${before}${essentialsText()}\n${after}`, "npm run docs writes it anew").toMatchFileSnapshot(
    file,
  );
});
