import { existsSync, writeFileSync } from "node:fs";
import { reportOf } from "../../src/backtest/report.tsx";
import type { BacktestAnswer } from "../../src/backtest/schema/answer.ts";
import { nestedInput, type PastForm } from "../../src/backtest/schema/input.ts";
import type { Candles } from "../../src/candles/candles.ts";
import { spanOf } from "../../src/candles/file.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import { TIMEFRAMES } from "../../src/kernel/time.ts";
import type { Operation, WaitingCaller } from "../../src/operation.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { CandleReader } from "../../src/ports/venue.ts";
import { type Answer, run } from "../../src/transport/run.ts";
import {
  candleFile,
  candleFolder,
  isRecordingFile,
  isTapeFile,
  keptCandles,
  type ReadFlags,
  readCandleFile,
  readFlags,
  readStored,
  readTapeFile,
} from "../host/candle-sources.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { namesServer } from "../host/remote.ts";
import { readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { argName, inputOf, kebab } from "../terminal/fields.ts";
import { print, render } from "../terminal/output.ts";
import { fail, misreadOf, requestedFormat, withJson, withoutConfig } from "../terminal/refused.ts";
import { type Waited, waitedFor } from "../terminal/waited-for.ts";
import { profiledInput } from "./grid-profile.ts";
import { INTERRUPTED } from "./report-on-interrupt.ts";

/** Loaded separately, because exchanges and the database take most of a start's time. */
const toExchanges = () => import("./run-operation.ts");

/** Fields that replace an exchange's market rules, so no request is needed. */
const RULE_FIELDS = ["tick", "lot", "makerFee"] as const;

/** The form of a definition that a command tests, and the operation that tests every definition. */
interface TestedForm {
  readonly form: PastForm;
  readonly target: Operation;
}

/** Returns the input that flags stand for, or why it is invalid. */
function flagsInput(
  operation: Operation,
  tested: TestedForm | undefined,
  values: Values,
  usual: BacktestInput,
) {
  const nested = (flat: BacktestInput) => (tested ? nestedInput(tested.form, flat) : flat);
  const check = (flat: BacktestInput) => {
    const misread = tested && misreadOf(tested.target, nested(flat));
    return misread && withoutConfig(misread);
  };
  const { input, misread } = profiledInput(operation, values, usual, check);
  return { input: nested(input), misread };
}

/**
 * Runs a backtest over a file's candles here, or over data of a server or the exchange. Returns the exit code. For a
 * form of a definition, `operation` has the flags of its config.
 */
export async function runBacktest(operation: Operation, given: Values, tested?: TestedForm): Promise<number> {
  const values = withStoredSpan(withJson(given));
  const { data, report, json } = values;
  if (values.sweep !== undefined && tested) return runSweep(operation, values, tested);
  const format = requestedFormat(operation, values);
  const usual = report || format === "csv" ? { fills: MAX_FILLS_IN_FILE } : {};
  const { input, misread } = flagsInput(operation, tested, values, usual);
  if (misread) return fail(misread, { operation, values });
  const dataFile = typeof data === "string" ? data : undefined;
  const request = { input, file: dataFile, asBars: tested?.form.walksTrades !== true };
  const { answer, isCut } = await withBacktests(tested?.target ?? operation, values, request, (run) =>
    run(input),
  );
  if (answer.status !== 200) return fail(withoutConfig(answer), { operation, values });
  const body = answer.body as BacktestAnswer;
  if (format === "csv") process.stdout.write(operation.csv?.(body) ?? "");
  else
    process.stdout.write(`${json ? JSON.stringify(body, null, 2) : render(operation.cli?.view?.(body))}\n`);
  if (typeof report === "string") writeReport(report, body);
  return isCut ? INTERRUPTED : 0;
}

/** Reads stored candles of a length that no exchange is requested for as a file, so every stored length is usable. */
function withStoredSpan(values: Values): Values {
  const { timeframe, ...rest } = values;
  const { data, exchange, symbol } = rest;
  const spanMillis = spanOf(String(timeframe ?? ""));
  const pair = String(symbol ?? "");
  if (spanMillis === undefined || data !== undefined || !isPair(pair)) return values;
  if (Object.hasOwn(TIMEFRAMES, String(timeframe))) return values;
  const folder = candleFolder(readSettings(values, process.env).databaseUrl, process.env);
  const file = candleFile(folder, { source: String(exchange ?? ""), pair, spanMillis });
  return existsSync(file) ? { ...rest, data: file } : values;
}

/** Writes the report after the result is printed, so a mistyped folder does not lose the result. */
function writeReport(file: string, answer: BacktestAnswer): void {
  try {
    writeFileSync(file, reportOf(answer), { mode: 0o644 });
  } catch (error) {
    throw new Error(`the report could not be written: ${messageOf(error)}`);
  }
  process.stderr.write(`The report is in ${file}.\n`);
}

const MAX_FILLS_IN_FILE = 100_000;
const MAX_SWEPT_RUNS = 300;

/** Runs a backtest for each combination of the values of --sweep, without bands, and prints the best one first. */
async function runSweep(operation: Operation, values: Values, tested: TestedForm): Promise<number> {
  if (requestedFormat(operation, values) === "csv")
    throw new UsageError("--sweep prints no trades; run one backtest with the best values for --format csv");
  const combinations = sweptValues(operation, tested, values.sweep as readonly string[]);
  const inputs: BacktestInput[] = [];
  for (const swept of combinations) {
    const { input, misread } = flagsInput(operation, tested, { ...values, ...swept }, {});
    if (misread) return fail(misread, { operation, values });
    inputs.push({ ...input, fills: 0, single: true });
  }
  const file = typeof values.data === "string" ? values.data : undefined;
  const [first = {}] = inputs;
  const request = { input: first, file, asBars: tested.form.walksTrades !== true };
  const { answer, isCut } = await withBacktests(tested.target, values, request, (run) =>
    waitedFor(async (waiting) => {
      const answers: Answer[] = [];
      for (const input of inputs) {
        if (waiting.isEnough()) break;
        const hear = (done: number) => waiting.hear((answers.length + done) / inputs.length);
        const { answer: one } = await run(input, { ...waiting, hear });
        answers.push(one);
        if (one.status !== 200) break;
        hear(0);
      }
      return answers;
    }),
  );
  const refused = answer.find(({ status }) => status !== 200);
  if (refused) return fail(withoutConfig(refused), { operation, values });
  const runs = answer.map(({ body }, i) => ({
    values: combinations[i] ?? {},
    result: body as BacktestAnswer,
  }));
  const totalOf = ({ result }: (typeof runs)[number]) => decimal(result.total);
  runs.sort((a, b) => Number(totalOf(b) > totalOf(a)) - Number(totalOf(b) < totalOf(a)));
  const rows = runs.map(
    ({ values: swept, result: { total, totalPercent, filledOrders, drawdown, lastError } }) => ({
      ...(values.json ? { values: swept } : swept),
      total,
      totalPercent,
      filledOrders,
      drawdown: drawdown.amount,
      ...(lastError ? { lastError } : {}),
    }),
  );
  print(values, { runs: rows, count: rows.length });
  return isCut ? INTERRUPTED : 0;
}

/** Parses `spreadPercent=0.1,0.2` and returns each combination of the values, by the names of flags. */
function sweptValues(
  operation: Operation,
  { form: { config, fixed = {} } }: TestedForm,
  sweep: readonly string[],
): readonly Readonly<Record<string, string>>[] {
  const names = Object.keys(config().shape)
    .filter((field) => !Object.hasOwn(fixed, field))
    .map((field) => argName(operation, field));
  let all: readonly Readonly<Record<string, string>>[] = [{}];
  for (const part of sweep) {
    const [request = "", list = ""] = part.split("=").map((text) => text.trim());
    const name = kebab(request);
    const choices = [...new Set(list.split(",").map((text) => text.trim()))].filter((text) => text !== "");
    if (!names.includes(name) || choices.length === 0 || all.some((one) => Object.hasOwn(one, name)))
      throw new UsageError(
        `--sweep ${part} is not understood; name a field once, with its values: ${names[0] ?? "field"}=1,2,3. Fields: ${names.join(", ")}`,
      );
    all = all.flatMap((one) => choices.map((choice) => ({ ...one, [name]: choice })));
    if (all.length > MAX_SWEPT_RUNS)
      throw new UsageError(`--sweep has more than ${MAX_SWEPT_RUNS} combinations; use fewer values`);
  }
  return all;
}

type BacktestInput = Record<string, unknown>;

/** Runs a backtest; a caller that waits itself gets its progress. */
type RunInput = (input: BacktestInput, waiting?: WaitingCaller) => Promise<Waited<Answer>>;

interface BacktestSource {
  readonly input: BacktestInput;
  readonly file: string | undefined;
  /** Whether trades of the file become candles. */
  readonly asBars: boolean;
}

/** Opens what backtests of one market need, and calls `use` with a function that runs one. */
async function withBacktests<T>(
  operation: Operation,
  values: Values,
  { input, file, asBars }: BacktestSource,
  use: (run: RunInput) => Promise<T>,
): Promise<T> {
  const settings = readSettings(values, process.env);
  const call = { actor: "local", requestId: nodeLocal.randomText(12) };
  const request = operation.input.strict().parse(input);
  const runsHere =
    (deps: Deps): RunInput =>
    async (given, waiting) => {
      const parsed = operation.input.strict().parse(given);
      const work = (waiter: WaitingCaller) => run(operation, deps, parsed, { ...call, waiting: waiter });
      return waiting ? { answer: await work(waiting), isCut: false } : waitedFor(work);
    };
  const isStoredGrid = (input.from ?? input.strategy) !== undefined;
  const flags = readFlags(values);
  const kept = isStoredGrid
    ? file && pastOfFile(file, flags)
    : file === undefined
      ? await (namesServer(settings, values) ? undefined : storedIn(settings.databaseUrl, request))
      : await keptIn(file, input, {
          ...flags,
          asBars,
          databaseUrl: settings.databaseUrl,
        });
  // If all rules are given, only the file is needed: no database is opened, and no exchange is called.
  if (kept && !isStoredGrid && RULE_FIELDS.every((name) => input[name] !== undefined))
    return await use(
      runsHere({ kept, local: nodeLocal, exchanges: settings.config.exchanges } as unknown as Deps),
    );
  const { openAnswering: open, remoteOf } = await toExchanges();
  const { ask, deps, close } = await open(settings, kept ? undefined : await remoteOf(settings, values));
  try {
    if (deps) return await use(runsHere({ ...deps, ...(kept ? { kept } : {}) }));
    return await use(async (given) => ({ answer: await ask(operation, given), isCut: false }));
  } finally {
    close();
  }
}

interface FileReadAs extends ReadFlags {
  readonly asBars: boolean;
  readonly databaseUrl: string;
}

async function keptIn(
  file: string,
  { exchange, symbol }: BacktestInput,
  { asBars, databaseUrl, ...flags }: FileReadAs,
): Promise<CandleReader> {
  if (typeof symbol !== "string" || !isPair(symbol))
    throw new UsageError("--symbol names the pair of --data");
  const all = pastOfFile(file, flags);
  const tape = asBars ? undefined : await all.tape?.(symbol);
  if (tape) return { candles: async () => undefined, tape: async () => tape };
  const candles = await readFile(file, symbol, flags).catch(async (error: unknown) => {
    if (!(await isRecordingFile(file))) throw error;
    throw new UsageError(
      `--data ${file} holds recorded books or trades as JSON, which only \`edgemaker backtest\` can replay; use candles or a table of trades here`,
    );
  });
  return besideStored(databaseUrl, String(exchange), candles);
}

/** Returns candles for their exchange and pair, and stored ones for the others. */
const besideStored = (databaseUrl: string, exchange: string, candles: Candles): CandleReader => {
  const stored = keptCandles(databaseUrl, process.env);
  return {
    candles: async (request) =>
      request.exchange === exchange && request.symbol === candles.pair ? candles : stored.candles(request),
  };
};

/** Returns a file's trades or candles for the stored grid's pair. */
export const pastOfFile = (file: string, flags: ReadFlags): CandleReader => ({
  candles: ({ symbol }) => readFile(file, symbol, flags),
  tape: (pair) =>
    readOrRefuse(async () => ((await isTapeFile(file)) ? readTapeFile(file, { pair, ...flags }) : undefined)),
});

const readFile = (file: string, pair: Pair, flags: ReadFlags): Promise<Candles> =>
  readOrRefuse(async () => (await readCandleFile(file, pair, flags)).candles);

async function readOrRefuse<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UsageError(`--data ${messageOf(error)}`);
  }
}

/** Returns downloaded or imported candles of this exchange and pair; undefined if there are none from `since` on. */
async function storedIn(
  databaseUrl: string,
  { exchange, symbol, timeframe = "1m", since }: Record<string, unknown>,
): Promise<CandleReader | undefined> {
  const span = spanOf(String(timeframe));
  if (span === undefined || typeof symbol !== "string" || !isPair(symbol)) return undefined;
  const source = String(exchange);
  if (typeof since === "number") {
    const request = { exchange: source, symbol, span, since };
    const candles = await keptCandles(databaseUrl, process.env).candles(request);
    return candles && besideStored(databaseUrl, source, candles);
  }
  const series = { source, pair: symbol, spanMillis: span };
  const file = candleFile(candleFolder(databaseUrl, process.env), series);
  return existsSync(file) ? besideStored(databaseUrl, source, (await readStored(file)).candles) : undefined;
}

/** Compares a stored grid with a backtest over a file's candles here, or where the grid is stored. Returns the exit code. */
export async function runReplay(operation: Operation, given: Values, target: Operation): Promise<number> {
  const values = withJson(given);
  const { set, ...flat } = inputOf(operation, values);
  const misread = misreadOf(operation, { ...flat, ...(set === undefined ? {} : { set }) });
  if (misread) return fail(misread, { operation, values });
  const input = { ...flat, config: set === undefined ? {} : optionsIn(String(set)) };
  const file = typeof values.data === "string" ? values.data : undefined;
  const { answer, isCut } = await withBacktests(target, values, { input, file, asBars: true }, (run) =>
    run(input),
  );
  if (answer.status !== 200) return fail(withoutConfig(answer), { operation, values });
  const { cli } = operation;
  print(
    values,
    values.json ? answer.body : target.cli?.view?.(answer.body),
    cli?.columns && { priority: cli.columns },
  );
  return isCut ? INTERRUPTED : 0;
}

/** Parses `size=80,levels=20` as settings of a grid, by the names of fields or flags. */
export const optionsIn = (set: string): BacktestInput =>
  Object.fromEntries(
    set.split(",").map((part) => {
      const [name = "", value = ""] = part.split("=").map((text) => text.trim());
      return [name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase()), optionValue(value)];
    }),
  );

const optionValue = (text: string): unknown => {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};
