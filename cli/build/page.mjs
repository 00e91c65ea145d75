import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/**
 * Builds the page's files from a package's folder into another folder; returns the source files. Names contain a hash of
 * the content, `files.json` lists them, and each has a compressed copy beside it.
 */
export async function buildPage(root, folder) {
  const esbuild = await import("esbuild");
  const { metafile } = await esbuild.build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: ["src/web/main.tsx"],
    entryNames: "[name]-[hash]",
    // What the first page does not need is loaded when it is used.
    splitting: true,
    chunkNames: "main-[name]-[hash]",
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "error",
  });
  const names = readdirSync(folder).filter((name) => /^main-.*\.(js|css)$/.test(name));
  const named = (ending) => names.find((name) => /^main-\w+\./.test(name) && name.endsWith(ending));
  writeFileSync(join(folder, "files.json"), JSON.stringify({ script: named(".js"), style: named(".css") }));
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
  for (const file of ICONS) cpSync(join(root, "src/web", file), join(folder, file));
  writeFileSync(join(folder, "app.webmanifest"), JSON.stringify(MANIFEST));
  // Its name stays, because a browser asks for a new version of it by its name.
  const worker = await esbuild.build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: ["src/transport/page-worker.ts"],
    outdir: folder,
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    logLevel: "error",
  });
  const inputs = [metafile, worker.metafile].flatMap((one) => Object.keys(one.inputs));
  return [...inputs, ...ICONS.map((file) => `src/web/${file}`)];
}

const ICONS = ["icon.svg", "icon.png"];

/** Lets a browser install the page as an app. Addresses are relative to this file, so they work below any path. */
const MANIFEST = {
  name: "edgemaker",
  short_name: "edgemaker",
  id: "../../",
  start_url: "../../",
  scope: "../../",
  display: "standalone",
  background_color: "#101518",
  theme_color: "#12303f",
  icons: [
    { src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
    { src: "icon.png", sizes: "512x512", type: "image/png", purpose: "any maskable" },
  ],
};
