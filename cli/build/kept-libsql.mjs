// libSQL's own JavaScript as a part of the bundle, so that what V8 compiles of it is kept too. Its native part stays where
// it is installed.
import { readFileSync } from "node:fs";
import { changed } from "./changed.mjs";

/** Of a file, what is written there, and what instead. */
const CHANGES = [
  [
    /cli[\\/]host[\\/]database[\\/]libsql\.ts$/,
    [['requireFrom(import.meta.url)("libsql")', 'require("libsql")']],
  ],
  [
    /node_modules[\\/]libsql[\\/]index\.js$/,
    [
      // Only libSQL's own folder is sure to see it.
      [
        "return require(`",
        'const { createRequire } = require("node:module");\n  return createRequire(createRequire(__bundleUrl).resolve("libsql"))(`',
      ],
    ],
  ],
  [
    /detect-libc[\\/]lib[\\/]detect-libc\.js$/,
    // It asks another program only where nothing else tells.
    [
      ["const childProcess = require('child_process');", ""],
      ["childProcess.exec(", "require('child_process').exec("],
      ["childProcess.execSync(", "require('child_process').execSync("],
    ],
  ],
];

export const KEPT_LIBSQL = {
  name: "kept-libsql",
  setup: ({ onLoad }) => {
    for (const [filter, changes] of CHANGES)
      onLoad({ filter }, ({ path }) => ({
        contents: changed(readFileSync(path, "utf8"), changes, path),
        loader: path.endsWith(".ts") ? "ts" : "js",
      }));
  },
};
