import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { lookAt } from "./canary.ts";

/** Where secrets belong: a person's own settings, and how this user's commands reach a running server. */
const PRIVATE = /(^|\/)(edgemaker\.json|server-[0-9a-f]{16}-[0-9a-z]{16}\.json)$/;

/** A folder that whoever has made it removes; what was written into it is looked through for secrets then. */
export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "edgemaker-"));
  const remove = () => {
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      // Node 24 also lists what a link leads to, such as a checkout's node_modules.
      if (/(^|\/)node_modules\//.test(relative(path, file))) continue;
      if (entry.isFile() && !PRIVATE.test(file)) lookAt(relative(path, file), readFileSync(file));
    }
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  return { path, remove };
}

/** A folder of the test's own, gone when it ends. */
export function tempFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}

/** A file of the test's own in such a folder. */
export function fileWith(text: string): string {
  const file = join(tempFolder(), "secret");
  writeFileSync(file, text);
  return file;
}
