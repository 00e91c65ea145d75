import { spawnSync } from "node:child_process";
import { join } from "node:path";

const launcher = join(process.cwd(), "cli/edgemaker.cjs");

/** Says at the end what a process has had: processor time of all its threads, and the most memory. */
const TELLS = `data:text/javascript,${encodeURIComponent(`process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write("\\nhad " + (userCPUTime + systemCPUTime) / 1000 + " " + maxRSS / 1024 + "\\n");
});`)}`;

export interface Had {
  /** Of processor time, from the start of the process on. */
  readonly millis: number;
  /** The most memory that it held, in MiB. */
  readonly mebibytes: number;
  readonly stdout: string;
}

/** Runs a command in a home of its own. Throws what it has said where it fails. */
export function runCommand(home: string, args: readonly string[]): Had {
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const run = spawnSync(process.execPath, ["--import", TELLS, launcher, ...args], {
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const [, millis, mebibytes] = /\nhad ([\d.]+) ([\d.]+)\n/.exec(run.stderr) ?? [];
  if (run.status !== 0 || millis === undefined) throw new Error(run.stderr);
  return { millis: Number(millis), mebibytes: Number(mebibytes), stdout: run.stdout };
}
