import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import type { Bundled } from "./bundle.ts";
import type { Ask, Reported } from "./units.ts";

/** Why there was no answer. */
export type Silence = "too long" | "ended";

/** One warm process, begun anew when it hangs or ends. */
export function openChild({ worker, first, tests, page }: Bundled) {
  let child: ChildProcess | undefined;
  let processes = 0;

  async function begun(mutant?: number): Promise<ChildProcess> {
    if (child) return child;
    const env = {
      ...process.env,
      TESTS: JSON.stringify(tests),
      PAGE: page,
      ...(mutant === undefined ? {} : { MUTANT: String(mutant) }),
    };
    const made = fork(worker, {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=1500", `--import=${pathToFileURL(first).href}`],
    });
    child = made;
    processes++;
    made.on("exit", () => {
      if (child === made) child = undefined;
    });
    await Promise.race([once(made, "message"), once(made, "exit")]);
    return made;
  }

  const end = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    ending.kill("SIGKILL");
    await once(ending, "exit");
  };

  return {
    end,
    /** Which of its processes it has now, or had last. */
    process: () => processes,
    /** Asks, and waits no longer than so many milliseconds. `mutant` is on from the beginning of a new process. */
    async ask(request: Ask, most: number, mutant?: number): Promise<Reported | Silence> {
      const to = await begun(mutant);
      let timer: NodeJS.Timeout | undefined;
      let ended = () => {};
      const result = new Promise<Reported | Silence>((resolve) => {
        to.once("message", (answer) => resolve(answer as Reported));
        ended = () => resolve("ended");
        to.once("exit", ended);
        timer = setTimeout(() => resolve("too long"), most);
        if (to.exitCode !== null || to.signalCode !== null) resolve("ended");
        else to.send(request, (error) => error && resolve("ended"));
      });
      const answer = await result;
      clearTimeout(timer);
      to.removeAllListeners("message");
      to.off("exit", ended);
      if (answer === "too long") await end();
      return answer;
    },
  };
}

export type Child = ReturnType<typeof openChild>;
