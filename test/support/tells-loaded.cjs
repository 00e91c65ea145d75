// Loaded before a program: it tells in the end whether the client of fetch and the database were loaded.
process.on("exit", () => {
  const fetch = process.moduleLoadList.some((name) => name.endsWith("internal/deps/undici/undici"));
  const database = process.report.getReport().sharedObjects.some((file) => file.includes("libsql"));
  process.stderr.write(`loaded: ${JSON.stringify({ fetch, database })}\n`);
});
