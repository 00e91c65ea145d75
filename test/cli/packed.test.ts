import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { tempFolder } from "../support/temp.ts";

it("packs the package's README, and documents whose links lead to files of the package", () => {
  const folder = tempFolder();
  execFileSync(process.execPath, [join(root, "cli/build/pack.mjs"), folder], { stdio: "ignore" });
  const [tarball = ""] = readdirSync(folder);
  execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  const packed = join(folder, "package");
  // The registry of MCP servers compares it with agents/server.json.
  const { mcpName } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  expect(mcpName).toBe(JSON.parse(readFileSync(join(root, "agents/server.json"), "utf8")).name);
  const documents = readdirSync(packed, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const links = documents.flatMap((name) => {
    const text = readFileSync(join(packed, name), "utf8");
    return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
      .map(([, target, attribute]) => target ?? attribute ?? "")
      .filter((target) => !/^(https?:|mailto:|#)/.test(target))
      .map((target) => ({ name, target, path: join(packed, dirname(name), target.replace(/#.*/, "")) }));
  });
  expect(links.length).toBeGreaterThan(100);
  expect(
    links.filter(({ path }) => !existsSync(path)).map(({ name, target }) => `${name}: ${target}`),
  ).toEqual([]);
  const readme = readFileSync(join(packed, "README.md"), "utf8");
  expect(readme).not.toBe(readFileSync(join(root, "README.md"), "utf8"));
  expect(readme).toContain("npm install ./edgemaker-");
  // It names nothing that only a checkout has.
  expect(readme).not.toMatch(/npm ci|npm run|npm test|checkout/);
});
