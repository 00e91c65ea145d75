/**
 * Runs the code of users' strategies in other processes. A thread would not do: when its heap is full, one large array
 * or map ends the whole process.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import * as z from "zod";
import { messageOf } from "../../../src/kernel/errors.ts";
import { lazy } from "../../../src/kernel/lazy.ts";
import type { Millis } from "../../../src/kernel/time.ts";
import type { AnyStrategyDefinition, CodeCaller, CodeJob } from "../../../src/ports/definition.ts";
import { canceledRequest } from "../../../src/ports/heavy.ts";
import { type BundledStrategy, MAX_CALL_MS } from "./strategy-code.ts";
import { describedDefinition } from "./strategy-description.ts";

/** A job. The bundle comes with the first one of its file. */
export interface RunnerJob {
  readonly id: number;
  readonly job: CodeJob | "describe";
  readonly file: string;
  readonly bundle?: BundledStrategy | undefined;
  readonly input: unknown;
}

/** A line of the runner: an answer as JSON text, why it failed, or a sign of life. */
export type RunnerLine =
  | { readonly id: number; readonly answer: string }
  | { readonly id: number; readonly failed: string }
  | { readonly id: number; readonly alive: true; readonly done?: number | undefined };

export interface StrategyProcesses {
  /** Returns the strategy of a bundle without its code. Rejects with file and line if the bundle has none. */
  describe(bundle: BundledStrategy): Promise<AnyStrategyDefinition>;
  /** Returns how jobs of a bundle's code run. */
  askOf(bundle: BundledStrategy): NonNullable<AnyStrategyDefinition["ask"]>;
}

/** Memory of a process's heap. A backtest has the orders and fills of all its passes. */
const HEAP_MEGABYTES = { calls: 96, backtest: 512 };
/** Loading and a call have a limit each in the process itself, which names the line. This one is for what that one cannot end. */
const MAX_SILENCE_MS: Millis = 2 * MAX_CALL_MS + 500;
const MAX_START_MS: Millis = 60_000;
/** A process that nobody has used for this time ends, unless a strategy runs in it. */
const MAX_IDLE_MS: Millis = 60_000;
const MAX_ANSWER_BYTES = { calls: 1 << 20, backtest: 1 << 25 };
/** Name of the queue for requests of people, beside those of the accounts with running strategies. */
const REQUESTS = "";

let sharedProcesses: StrategyProcesses | undefined;

/** Returns the processes of this process; undefined if the build has no code for them. */
export function strategyProcesses(): StrategyProcesses | undefined {
  const file = fileURLToPath(new URL("strategy-runner.js", import.meta.url));
  if (existsSync(file)) sharedProcesses ??= createStrategyProcesses(file);
  return sharedProcesses;
}

/** Creates them with a runner's file. Each account has at most one, requests have one, and each backtest has its own. */
export function createStrategyProcesses(file: string): StrategyProcesses {
  const places = new Map<string, RunJob>();
  const placeOf = (name: string): RunJob => {
    const known = places.get(name) ?? createQueue(file, name === REQUESTS ? MAX_IDLE_MS : undefined);
    places.set(name, known);
    return known;
  };
  const answers = rememberedAnswers();
  const askOf: StrategyProcesses["askOf"] = (bundle) => (job, input, caller) => {
    if (job === "backtest") return runAlone(startRunner(file, "backtest"), bundle, input, caller);
    if (caller.id === "") return placeOf(REQUESTS)(bundle, job, input);
    return answers(caller, input, () => placeOf(caller.account)(bundle, job, input));
  };
  return {
    askOf,
    async describe(bundle) {
      const described = await placeOf(REQUESTS)(bundle, "describe", {});
      return { ...describedDefinition(described, bundle), ask: askOf(bundle) };
    },
  };
}

type RunJob = (
  bundle: BundledStrategy,
  job: RunnerJob["job"],
  input: object,
  hear?: CodeCaller["hear"],
) => Promise<unknown>;

/** Runs one job after another, in a process that starts again after it ended. */
function createQueue(file: string, maxIdle: Millis | undefined): RunJob {
  let runner: Runner | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  return (...job) => {
    clearTimeout(idle);
    const answered = tail.then(() => {
      if (!runner || runner.isOver()) runner = startRunner(file, "calls");
      return runner.run(...job);
    });
    tail = answered
      .catch(() => undefined)
      .then(() => {
        clearTimeout(idle);
        if (maxIdle !== undefined) idle = setTimeout(() => runner?.end(), maxIdle).unref();
      });
    return answered;
  };
}

async function runAlone(
  runner: Runner,
  bundle: BundledStrategy,
  input: object,
  { signal, hear }: CodeCaller,
): Promise<unknown> {
  signal?.addEventListener("abort", runner.end);
  if (signal?.aborted) runner.end();
  try {
    return await runner.run(bundle, "backtest", input, hear);
  } catch (error) {
    throw signal?.aborted ? canceledRequest() : error;
  } finally {
    signal?.removeEventListener("abort", runner.end);
    runner.end();
  }
}

/** Calls that took longer are not made again before a person resumes the strategy: a pass has the time of a few of them. */
const MAX_REPEATED_CALL_MS: Millis = MAX_CALL_MS / 2;

/**
 * Repeats the last answer of a strategy for the same input, because a pass asks twice. A call that failed after a long
 * time also keeps its answer until the next resume: several of them can take longer than a pass has.
 */
function rememberedAnswers() {
  const last = new Map<string, { readonly input: Buffer; readonly answer: Promise<unknown> }>();
  const slow = new Map<string, Promise<unknown>>();
  return ({ account, id, resumes }: CodeCaller, input: object, run: () => Promise<unknown>) => {
    const key = `${account} ${id}`;
    const failed = slow.get(`${key} ${resumes}`);
    if (failed) return failed;
    const known = last.get(key);
    const now = serialize(input);
    if (known?.input.equals(now)) return known.answer;
    const since = performance.now();
    const answer = run();
    last.set(key, { input: now, answer });
    const note = (isFault: boolean) => {
      if (isFault && performance.now() - since > MAX_REPEATED_CALL_MS) slow.set(`${key} ${resumes}`, answer);
    };
    answer.then(
      (result) => note((result as { fault?: unknown } | null)?.fault !== null),
      () => note(true),
    );
    return answer;
  };
}

interface Runner {
  readonly run: RunJob;
  readonly isOver: () => boolean;
  readonly end: () => void;
}

/** What a job waits for: a line of its process, at most so long after the last sign of life. */
interface AwaitedLine {
  readonly resolve: (line: RunnerLine) => void;
  readonly reject: (error: Error) => void;
  readonly maxSilence: Millis;
  readonly hear: CodeCaller["hear"];
}

/**
 * Starts a process that runs one job at a time. It has no settings and no keys. It ends with a job that fails, because
 * the next one would find what that job changed.
 */
function startRunner(file: string, kind: keyof typeof HEAP_MEGABYTES): Runner {
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES[kind]}`, "--max-semi-space-size=2"];
  const child = spawn(process.execPath, [...flags, file], {
    stdio: ["pipe", "pipe", "ignore"],
    env: environmentOf(process.env),
    windowsHide: true,
  });
  const sentBundles = new Set<string>();
  let isOver = false;
  let waiting: AwaitedLine | undefined;
  let timer: NodeJS.Timeout | undefined;
  const endBecause = (why: string) => {
    isOver = true;
    clearTimeout(timer);
    child.kill("SIGKILL");
    waiting?.reject(new Error(why));
  };
  const restartTimer = () => {
    clearTimeout(timer);
    const { maxSilence = 0 } = waiting ?? {};
    timer = setTimeout(() => endBecause(`it ran for more than ${MAX_CALL_MS} ms, and was ended`), maxSilence);
  };
  const nextLine = (maxSilence: Millis, hear?: CodeCaller["hear"]) =>
    new Promise<RunnerLine>((resolve, reject) => {
      if (isOver) return reject(new Error("its process has ended"));
      waiting = { resolve, reject, maxSilence, hear };
      // The process that waits stays alive, and one that does not wait can end.
      child.ref();
      restartTimer();
    }).finally(() => {
      waiting = undefined;
      clearTimeout(timer);
      child.unref();
    });
  child.on("error", (error) => endBecause(`its process could not start: ${error.message}`));
  child.on("exit", (code, signal) => endBecause(exitText(kind, code, signal)));
  child.stdin.on("error", () => undefined);
  // In Bun, a pipe does not keep a process alive by itself, and has no such function.
  for (const stream of [child.stdin, child.stdout]) (stream as Partial<Socket>).unref?.();
  onLines(child.stdout, MAX_ANSWER_BYTES[kind], (text) => {
    const line = parseLine(text);
    if (!waiting || !line) return endBecause(NO_RESULT);
    if ("alive" in line && line.id > 0) {
      if (line.done !== undefined) waiting.hear?.(line.done);
      return restartTimer();
    }
    waiting.resolve(line);
  });
  const started = nextLine(MAX_START_MS);
  started.catch(() => undefined);
  let id = 0;
  return {
    async run(bundle, job, input, hear) {
      try {
        await started;
        id++;
        const known = sentBundles.has(bundle.file) ? {} : { bundle };
        sentBundles.add(bundle.file);
        const answered = nextLine(MAX_SILENCE_MS, hear);
        sendFrame(child.stdin, { id, job, file: bundle.file, input, ...known });
        const line = await answered;
        if ("failed" in line) throw new CodeFailure(line.failed);
        if (line.id !== id || !("answer" in line)) throw new Error(NO_RESULT);
        const answer = JSON.parse(line.answer) as { readonly fault?: unknown } | null;
        if (typeof answer?.fault === "string") endBecause(answer.fault);
        return answer as unknown;
      } catch (error) {
        endBecause("");
        throw error instanceof CodeFailure ? error : new Error(`${bundle.source}: ${messageOf(error)}`);
      }
    },
    isOver: () => isOver,
    end: () => endBecause("its process was ended"),
  };
}

/** A failure that the process itself reports, with file and line. */
class CodeFailure extends Error {}

const NO_RESULT = "its process returned what is not a result";

/** What a program needs of the environment; settings and keys are not in it. */
const environmentOf = ({ TZ, SystemRoot }: NodeJS.ProcessEnv) => ({
  ...(TZ === undefined ? {} : { TZ }),
  ...(SystemRoot === undefined ? {} : { SystemRoot }),
});

const MAX_HEAP_CODES = [133, 134];

function exitText(kind: keyof typeof HEAP_MEGABYTES, code: number | null, signal: string | null): string {
  const isFull = signal === "SIGABRT" || signal === "SIGTRAP" || MAX_HEAP_CODES.includes(code ?? 0);
  return isFull
    ? `it used more than ${HEAP_MEGABYTES[kind]} MB of memory, and was ended`
    : `its process has ended (${signal ?? code})`;
}

function sendFrame(stdin: Writable, job: RunnerJob): void {
  const frame = serialize(job);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(frame.length);
  stdin.write(Buffer.concat([length, frame]));
}

/** Calls `hear` with each line, and with an empty one if a line is too long. */
function onLines(stdout: Readable, maxBytes: number, hear: (line: string) => void): void {
  let lineParts: Buffer[] = [];
  let size = 0;
  stdout.on("data", (part: Buffer) => {
    let rest = part;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      hear(Buffer.concat([...lineParts, rest.subarray(0, end)]).toString());
      [lineParts, size, rest] = [[], 0, rest.subarray(end + 1)];
    }
    lineParts.push(rest);
    size += rest.length;
    if (size <= maxBytes) return;
    [lineParts, size] = [[], 0];
    hear("");
  });
}

const LineShape = lazy(() =>
  z.union([
    z.strictObject({ id: z.number(), answer: z.string() }),
    z.strictObject({ id: z.number(), failed: z.string().max(MAX_MESSAGE_CHARACTERS) }),
    z.strictObject({ id: z.number(), alive: z.literal(true), done: z.number().min(0).max(1).optional() }),
  ]),
);

const MAX_MESSAGE_CHARACTERS = 4000;

function parseLine(text: string): RunnerLine | undefined {
  try {
    return LineShape().parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
