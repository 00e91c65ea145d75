// What tells programs what they may ask, made once for a platform that serves files itself.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const MADE_OF = `
export { createOperations } from "./src/operations.ts";
export { madeDocuments } from "./src/transport/documents/made.ts";
export { ANY_EXCHANGES, DOCUMENT_FILES } from "./src/transport/documents/served.ts";
`;

/** Writes the documents of a package into its folder of files; `name` is the version that they tell. */
export async function writeDocuments(root, folder, name) {
  const module = join(root, `dist/documents-${process.pid}.mjs`);
  await build({
    stdin: { contents: MADE_OF, resolveDir: root, loader: "ts" },
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outfile: module,
    logLevel: "error",
  });
  try {
    const { createOperations, madeDocuments, ANY_EXCHANGES, DOCUMENT_FILES } = await import(
      pathToFileURL(module).href
    );
    const documents = madeDocuments(createOperations(ANY_EXCHANGES), name);
    write(join(folder, DOCUMENT_FILES.openApi), await documents.openApi());
    write(join(folder, DOCUMENT_FILES.tools), JSON.stringify(await documents.tools()));
  } finally {
    rmSync(module, { force: true });
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
