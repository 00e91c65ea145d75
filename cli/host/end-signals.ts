import { isatty } from "node:tty";

/**
 * Calls `end` at Ctrl-C, at a request to terminate, and when the terminal closes. A process without a terminal runs on
 * after SIGHUP, as under `nohup`: Node resets a signal that its parent ignores. The returned function ends this.
 */
export function onEndSignal(end: () => void): () => void {
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const hungUp = () => {
    if (!hasTerminal) return;
    // Output to a closed terminal fails, and Node aborts when it cannot reset one, so the process ends by its signal.
    for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
    process.once("exit", () => {
      process.removeAllListeners("SIGHUP");
      process.kill(process.pid, "SIGHUP");
    });
    end();
  };
  // A second one ends the process at once, but a closing terminal can repeat its signal.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  process.on("SIGHUP", hungUp);
  return () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
    process.off("SIGHUP", hungUp);
  };
}
