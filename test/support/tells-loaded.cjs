// Loaded before a program: it tells in the end whether the client of fetch and the database were loaded, and how many migrations were read.
const fs = require("node:fs");
const { readFileSync } = fs;
let migrations = 0;
fs.readFileSync = (file, ...rest) => {
  if (String(file).endsWith(".sql")) migrations++;
  return readFileSync(file, ...rest);
};
require("node:module").syncBuiltinESMExports();

process.on("exit", () => {
  const fetch = process.moduleLoadList.some((name) => name.endsWith("internal/deps/undici/undici"));
  const database = process.report.getReport().sharedObjects.some((file) => file.includes("libsql"));
  process.stderr.write(`loaded: ${JSON.stringify({ fetch, database, migrations })}\n`);
});
