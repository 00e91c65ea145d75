import { readdirSync, readFileSync } from "node:fs";

/** Process ids of this process's own workerd children. */
export const workerds = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return name === "workerd" && Number(parent) === process.pid;
      } catch {
        return false;
      }
    });

/** Milliseconds of CPU that a process has had, from the scheduler's own statistics: what else runs does not count. */
export const cpuMillis = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0,
  );
