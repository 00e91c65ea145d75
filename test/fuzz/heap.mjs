// Loaded before a server that was started with --expose-gc: on SIGUSR2 it tells what is held after everything else is gone.
import { getHeapCodeStatistics } from "node:v8";

process.on("SIGUSR2", () => {
  globalThis.gc();
  globalThis.gc();
  // The compiler goes on for minutes: what it makes of the code is no data, and no leak.
  const { code_and_metadata_size: machine, bytecode_and_metadata_size: bytes } = getHeapCodeStatistics();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed - machine - bytes}\n`);
});
