import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that whoever has made it removes. */
export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "edgemaker-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A folder of the test's own, gone when it ends. */
export function tempFolder(): string {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  return path;
}
