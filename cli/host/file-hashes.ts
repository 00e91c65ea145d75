/** Tells whether the files of a strategy have changed since they were loaded. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";

/** In place of a hash of files of which one is missing, or cannot be read now. */
const noHash = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "unreadable";

interface FileStamp {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

const stampText = ({ mtimeMs, size, ino }: FileStamp): string => `${mtimeMs} ${size} ${ino}`;

/** Hashes files one after the other: the hash of a single file is what `sha256sum` prints. */
function hashContents(contents: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex");
}

/**
 * Hashes files as they are now. Returns a function that returns this hash, followed by the hash of the files as they are
 * then if it differs. It reads them only if the size or the time of one has changed.
 */
export function watchFiles(names: readonly string[]): () => Promise<readonly string[]> {
  const paths = names.map((name) => resolve(name));
  // The stamps come first: what is written between them and the read changes them again.
  let stamp = paths.map((path) => stampText(statSync(path))).join();
  const loaded = hashContents(paths.map((path) => readFileSync(path)));
  let now = loaded;
  return async () => {
    try {
      const stamps = await Promise.all(paths.map((path) => stat(path)));
      const newStamp = stamps.map(stampText).join();
      if (newStamp !== stamp) {
        now = hashContents(await Promise.all(paths.map((path) => readFile(path))));
        stamp = newStamp;
      }
    } catch (error) {
      now = noHash(error);
      stamp = now;
    }
    return now === loaded ? [loaded] : [loaded, now];
  };
}
