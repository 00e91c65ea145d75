import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bearer } from "../../contract/suite.ts";
import { root } from "../../support/bundle.ts";
import { edgeApp } from "../../support/edge.ts";
import { startOf } from "../../support/starts.ts";
import { tempFolder } from "../../support/temp.ts";
import { workerBundle } from "../../support/worker.ts";

/** An empty project that has installed the packed product, with wrangler of this checkout. */
function project(): string {
  const [packed, folder] = [tempFolder(), tempFolder()];
  execFileSync("npm", ["run", "pack", "--", packed], { cwd: root, stdio: "ignore" });
  const file = readdirSync(packed).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", join(packed, file)], { cwd: folder, stdio: "ignore" });
  const guides = (parent: string) => readdirSync(join(parent, "docs")).filter((name) => name.endsWith(".md"));
  expect(guides(join(folder, "node_modules/edgemaker"))).toEqual(guides(root));
  symlinkSync(join(root, "node_modules/wrangler"), join(folder, "node_modules/wrangler"));
  return folder;
}

it("deploys a Worker from a project that has installed the packed product", async () => {
  const folder = project();
  mkdirSync(join(folder, "strategies"));
  cpSync(join(root, "examples/two-sided.ts"), join(folder, "strategies/two-sided.ts"));
  const deploy = () =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [join(folder, "node_modules/edgemaker/cli/edgemaker.cjs"), "deploy", "--dry", "--json"],
        { cwd: folder, env: { ...process.env, HOME: folder }, encoding: "utf8" },
      ),
    );
  expect(deploy()).toMatchObject({ strategies: ["two-sided"], settings: "wrangler.toml (new: check it)" });
  const ignored = join(folder, ".gitignore");
  expect(readFileSync(ignored, "utf8").split("\n")).toContain(".dev.vars");
  writeFileSync(ignored, "own\n");
  expect(deploy()).toMatchObject({ settings: "wrangler.toml", deployed: false });
  expect(readFileSync(ignored, "utf8")).toBe("own\n");
  expect(existsSync(join(folder, ".edgemaker/assets/static/page"))).toBe(true);
  // Makes the files that are served beside it.
  await workerBundle();
  const edge = await edgeApp({}, { path: join(folder, ".edgemaker/out/worker.js") });
  try {
    const headers = { ...bearer(edge.tokens.admin), "content-type": "application/json" };
    const fields = { exchange: "kraken", symbol: "BTC/USDT", spreadPercent: 0.2, size: 100 };
    const [path, request] = startOf("two-sided", fields);
    const body = JSON.stringify(request);
    const response = await edge.ask(`/api/v1${path}`, { method: "POST", headers, body });
    const started = (await response.json()) as { id: string };
    expect(started).toMatchObject({ status: "running", definition: "two-sided" });
    const status = await (await edge.ask(`/api/v1/strategies/${started.id}`, { headers })).json();
    expect(status).toMatchObject({ lastError: null, orders: [{ id: "bid" }, { id: "ask" }] });
  } finally {
    await edge.close();
  }
});
