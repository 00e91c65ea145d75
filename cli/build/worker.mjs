// Writes the files that Cloudflare serves beside the Worker. wrangler runs this script before it bundles.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeDocuments } from "./documents.mjs";
import { buildPage } from "./page.mjs";
import { copySwaggerUi } from "./swagger-ui.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const assets = join(root, "dist/assets");
const HEADERS = `/static/*
  X-Content-Type-Options: nosniff
/static/swagger-ui-dist/*
  Cache-Control: public, max-age=86400
/static/page/*
  Cache-Control: no-cache
`;

mkdirSync(assets, { recursive: true });
copySwaggerUi(join(assets, "static/swagger-ui-dist"));
await buildPage(root, join(assets, "static/page"));
await writeDocuments(root, assets, "edge");
writeFileSync(join(assets, "_headers"), HEADERS);
