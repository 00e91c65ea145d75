import { spawn, spawnSync } from "node:child_process";
import headless from "@xterm/headless";
import { onTestFinished } from "vitest";
import { environment, launcher } from "./command.ts";

/** A terminal needs util-linux's `script`, which gives a process one. */
export const hasTerminal = spawnSync("script", ["--version"]).stdout?.includes("util-linux") === true;
if (!hasTerminal) console.warn("skipped: there is no `script` of util-linux, so no terminal for a command");

/** A screen comes in parts: it is whole when nothing has come for so long. */
const STILL_MILLIS = 200;
const REDRAW = "\x1b[H\x1b[J";

export interface Screen {
  /** What stands on it now, line by line. */
  lines(): string[];
  /** Whether a line was longer than the terminal is wide. */
  isWrapped(): boolean;
  type(text: string): void;
  /** Waits until it stands there, and nothing more is being written. */
  until(pattern: RegExp): Promise<void>;
  /** The same, of a screen that has been drawn so many times. */
  drawn(times: number): Promise<void>;
  /** All that was written, controls too. */
  written(): string;
  readonly ended: Promise<number | null>;
}

/** Runs `edgemaker …` in a terminal emulator; one of 0 columns has 80, and does not report them. */
export function terminal(
  folder: string,
  args: readonly string[],
  { columns, rows = 50, over = {} }: { columns: number; rows?: number; over?: Record<string, string> },
): Screen {
  const emulator = new headless.Terminal({ cols: columns || 80, rows, allowProposedApi: true });
  const { NO_COLOR: _none, ...plain } = environment(folder, { TERM: "xterm" });
  const env = { ...plain, ...over };
  const command = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"], {
    env,
    cwd: folder,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let written = "";
  let writtenAt = 0;
  child.stdout.on("data", (part: Uint8Array) => {
    writtenAt = performance.now();
    written += Buffer.from(part).toString("utf8");
    emulator.write(part);
  });
  const buffer = () => {
    const { active } = emulator.buffer;
    return Array.from({ length: rows }, (_, place) => active.getLine(active.baseY + place));
  };
  const lines = () => {
    const shown = buffer().map((line) => line?.translateToString(true) ?? "");
    return shown.slice(0, shown.findLastIndex((line) => line !== "") + 1);
  };
  const waitFor = async (what: string, holds: () => boolean) => {
    const until = performance.now() + 240_000;
    const drawn = () => new Promise<void>((resolve) => emulator.write("", resolve));
    for (await drawn(); !holds() || performance.now() - writtenAt < STILL_MILLIS; await drawn()) {
      if (performance.now() > until) throw new Error(`not on the screen: ${what}\n${lines().join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    lines,
    isWrapped: () => buffer().some((line) => line?.isWrapped),
    type: (text) => void child.stdin.write(text),
    written: () => written,
    // The emulator reads on for a moment after the last byte has come.
    ended: new Promise((resolve) => child.on("close", (code) => emulator.write("", () => resolve(code)))),
    until: (pattern) => waitFor(String(pattern), () => pattern.test(lines().join("\n"))),
    drawn: (times) => waitFor(`${times} times`, () => written.split(REDRAW).length > times),
  };
}
