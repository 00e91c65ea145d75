// Loaded before a server that was started with --expose-gc: on SIGUSR2 it tells what is held after everything else is gone.
process.on("SIGUSR2", () => {
  globalThis.gc();
  globalThis.gc();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
