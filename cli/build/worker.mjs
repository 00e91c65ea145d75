// Writes the files that Cloudflare serves beside the Worker. wrangler runs this script before it bundles.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { currentBundle, root } from "./current.cjs";

const built = await currentBundle();
const { documents } = await import(pathToFileURL(built).href);
const { workerDocuments } = await documents();
const assets = join(root, "dist/assets");
for (const [name, text] of Object.entries(await workerDocuments())) {
  mkdirSync(dirname(join(assets, name)), { recursive: true });
  writeFileSync(join(assets, name), text);
}
cpSync(join(dirname(built), "swagger-ui"), join(assets, "static/swagger-ui-dist"), { recursive: true });
cpSync(join(dirname(built), "page"), join(assets, "static/page"), { recursive: true });
cpSync(join(root, "deploy/_headers"), join(assets, "_headers"));
