// The one module that Workers run: bundled by esbuild, made small by it and then by oxc, which finds 13 KiB more.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ALIASES, HASHES, STUBS, UNREACHED } from "./aliases.mjs";
import { SLIM_CCXT } from "./slim-ccxt.mjs";
import { OF_OUR_OWN } from "./without.mjs";

const JSON_SCHEMA = join(STUBS, "json-schema.mjs");

/**
 * What stands for modules that nothing of ours reaches in a worker, or that the platform has built in. Most are named relatively, from
 * within their packages. */
const instead = (root) =>
  new Map(
    Object.entries({
      ...ALIASES,
      // Each request has an app of its own: its routes are looked through, where an index of them all would serve one request.
      hono: join(root, "node_modules/hono/dist/preset/quick.js"),
      // The languages of zod's own messages, and a validator in whose place we pass our own.
      "../locales/index.js": join(STUBS, "empty.mjs"),
      "../validation/ajv-provider.js": UNREACHED,
      // The documents are made when the worker is built.
      "../core/to-json-schema.js": JSON_SCHEMA,
      "../core/json-schema-processors.js": JSON_SCHEMA,
      "./to-json-schema.js": JSON_SCHEMA,
      "./json-schema-processors.js": JSON_SCHEMA,
      "./json-schema-generator.js": JSON_SCHEMA,
      "zod-to-json-schema": JSON_SCHEMA,
      // A libSQL server is asked in JSON; blobs are coded as the platform does it. No tool of ours runs as a task.
      "./protobuf_encode.js": UNREACHED,
      "./protobuf_decode.js": UNREACHED,
      "./protobuf/encode.js": UNREACHED,
      "./protobuf/decode.js": UNREACHED,
      "../encoding/protobuf/decode.js": UNREACHED,
      "../shared/protobuf_decode.js": UNREACHED,
      "js-base64": join(STUBS, "base64.mjs"),
      "@noble/hashes/sha2.js": HASHES,
      // What we ask a database is built without relations between tables, and counted in SQL.
      "../relations.js": UNREACHED,
      "./query-builders/query.js": UNREACHED,
      "./query-builders/count.js": UNREACHED,
      "../experimental/tasks/server.js": UNREACHED,
      "../experimental/tasks/helpers.js": UNREACHED,
      // The first router of hono's small preset takes every path of ours.
      "../router/smart-router/router.js": join(STUBS, "router.mjs"),
      "../router/trie-router/router.js": join(STUBS, "router.mjs"),
    }),
  );

const replaced = (modules) => ({
  name: "replaced",
  setup({ onResolve }) {
    onResolve({ filter: /^[^/]/ }, ({ path }) =>
      modules.has(path) ? { path: modules.get(path), sideEffects: false } : undefined,
    );
  },
});

/** Where each part is loaded when it is first used, and where all of them are one. */
const FORM = {
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  legalComments: "none",
  logLevel: "error",
  external: ["node:*"],
};

/**
 * In two steps: parts that are loaded apart, each one scope, then one module of these few. In one step each source would be a scope of
 * its own. */
async function bundled(root, parts) {
  await build({
    ...FORM,
    absWorkingDir: root,
    entryPoints: ["src/worker.ts"],
    outdir: parts,
    splitting: true,
    minifySyntax: true,
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser"],
    define: {
      global: "globalThis",
      "process.env.NODE_ENV": '"production"',
      "navigator.userAgent": '"Cloudflare-Workers"',
    },
    plugins: [replaced(instead(root)), SLIM_CCXT, OF_OUR_OWN],
  });
  const { outputFiles } = await build({
    ...FORM,
    absWorkingDir: parts,
    entryPoints: ["worker.js"],
    write: false,
    minify: true,
  });
  return outputFiles[0].text;
}

/** The module's text; `folder` is one of its own for what is made on the way. */
export async function workerCode(root, folder) {
  const { minify } = await import("vite");
  const text = await bundled(root, folder).finally(() => rmSync(folder, { recursive: true, force: true }));
  const { code, errors } = await minify("worker.js", text, {
    module: true,
    compress: { target: "es2022" },
    mangle: { toplevel: true },
  });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("; "));
  return code;
}
