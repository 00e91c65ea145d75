// Writes the user's strategies for the Worker, and the files that Cloudflare serves with it. wrangler runs this script
// before it bundles.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { currentBundle, root } from "./current.cjs";
import { commitOf } from "./manifest.mjs";

const built = await currentBundle();
const { documents } = await import(pathToFileURL(built).href);
const { workerDocuments, workerStrategies } = await documents();
const { definitions, source } = workerStrategies(
  process.env.EDGEMAKER_STRATEGIES ?? join(root, "strategies"),
  { version: JSON.parse(readFileSync(join(root, "package.json"))).version, commit: commitOf(root) ?? null },
);
writeFileSync(join(root, "dist/strategies.mjs"), source);
const assets = join(root, "dist/assets");
for (const [name, text] of Object.entries(await workerDocuments(definitions))) {
  mkdirSync(dirname(join(assets, name)), { recursive: true });
  writeFileSync(join(assets, name), text);
}
cpSync(join(dirname(built), "swagger-ui"), join(assets, "static/swagger-ui-dist"), { recursive: true });
// Cloudflare compresses files itself.
cpSync(join(dirname(built), "page"), join(assets, "static/page"), {
  recursive: true,
  filter: (file) => !/\.(br|gz)$/.test(file),
});
cpSync(join(root, "deploy/_headers"), join(assets, "_headers"));
