import type { BuildResult } from "esbuild";

type Split = BuildResult<{ metafile: true; write: false }>;

/** Texts of files by their names; the first is the entry's. */
export function partFiles(
  split: Pick<Split, "outputFiles" | "metafile">,
  entry: string,
  usual: readonly string[],
): Promise<Record<string, string>>;
