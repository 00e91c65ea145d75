import { cpSync } from "node:fs";
import { join } from "node:path";

/** Builds the page's files from a package's folder into another folder; returns the source files. */
export async function buildPage(root, folder) {
  const esbuild = await import("esbuild");
  const { metafile } = await esbuild.build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: ["src/web/main.tsx"],
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "error",
  });
  cpSync(join(root, "src/web/icon.svg"), join(folder, "icon.svg"));
  return [...Object.keys(metafile.inputs), "src/web/icon.svg"];
}
