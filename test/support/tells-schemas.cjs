// Loaded before a program: it tells in the end whether zod's full form, which sets its language with its first schema, was used.
process.on("exit", () => {
  process.stderr.write(`full: ${globalThis.__zod_globalConfig?.localeError !== undefined}\n`);
});
