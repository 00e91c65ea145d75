import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { buildWorker, bundle } from "../../cli/worker-bundle.mjs";
import { root } from "./bundle.ts";

/** The file that `wrangler deploy` would upload, built by it when there is none or a source is newer. */
export const workerBundle = async (): Promise<string> => (isStale() ? buildWorker() : bundle);

function isStale(): boolean {
  if (!existsSync(bundle)) return true;
  const built = statSync(bundle).mtimeMs;
  const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = [...sources, join(root, "wrangler.toml"), join(root, "package-lock.json")];
  return files.some((file) => statSync(file).mtimeMs > built);
}

const setting = (name: string): string => {
  const found = new RegExp(`^${name} = (.+)$`, "m").exec(readFileSync(join(root, "wrangler.toml"), "utf8"));
  return JSON.parse(found?.[1] ?? "null");
};

/** The built worker in workerd, with the compatibility settings that it is deployed with. */
export async function startWorker(
  bindings: Record<string, string>,
  more: Partial<MiniflareOptions> = {},
): Promise<Miniflare> {
  const worker = new Miniflare({
    name: "edgemaker",
    modules: [{ type: "ESModule", path: await workerBundle() }],
    compatibilityDate: setting("compatibility_date"),
    compatibilityFlags: setting("compatibility_flags") as unknown as string[],
    bindings,
    cf: false,
    ...more,
  } as MiniflareOptions);
  await worker.ready;
  return worker;
}
