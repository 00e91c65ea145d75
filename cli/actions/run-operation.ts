import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../src/kernel/errors.ts";
import { simulatedPage } from "../../src/kernel/html.tsx";
import { plainText } from "../../src/kernel/plain-text.ts";
import { type CommandSurface, type Operation, routeOf } from "../../src/operation.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { type Format, type Paging, tableOf } from "../../src/transport/csv.ts";
import { type Answer, run } from "../../src/transport/run.ts";
import { dataDirectory } from "../host/directories.ts";
import { onEndSignal } from "../host/end-signals.ts";
import {
  killedByEither,
  orElse,
  printKillFilePath,
  printRemoteKillHint,
  releasedFromBoth,
} from "../host/kill-file.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { callRemote, namesServer, type Remote, requestRemote } from "../host/remote.ts";
import { findServer, warningWithoutServer } from "../host/running-servers.ts";
import { type CliSettings, readSettings, whereFlags, wholeFlag } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import { columnNames, render } from "../terminal/output.ts";
import { fail, misreadOf, requestedFormat, withJson } from "../terminal/refused.ts";
import { isAtTerminal, wordsOf } from "./plan-confirmation.ts";

/** Options of a command's call besides its values. */
export interface Asking {
  /** Input without a flag. */
  readonly said?: Readonly<Record<string, unknown>> | undefined;
  /** Operation that runs first if a user can confirm: the status before a stop. */
  readonly preview?: Operation | undefined;
  /** The question before a command that cannot be undone. */
  readonly final?: CommandSurface["final"];
  /** Returns another operation by its name. */
  readonly named?: (name: string) => Operation | undefined;
}

/** Calls an operation on a server, or runs it here if no server runs. Returns the exit code. */
export async function runOperation(
  operation: Operation,
  given: Values,
  asking: Asking = {},
): Promise<number> {
  const values = withJson(given);
  const settings = readSettings(values, process.env);
  const { said } = asking;
  const run = () => runWith(settings, operation, values, asking);
  // Stopping everything must not depend on a responding server or a working database.
  if (operation.lane !== "urgent" || operation.effect !== "admin") return run();
  const { databaseUrl } = settings;
  if (namesServer(settings, values)) return said?.on === false ? run() : orElse(run, printRemoteKillHint);
  if (said?.on === false) return releasedFromBoth(databaseUrl, run);
  // The kill file would also prevent the sales of a panic.
  if (said?.stop) return orElse(run, () => printKillFilePath(databaseUrl));
  return killedByEither(databaseUrl, run);
}

async function runWith(
  settings: CliSettings,
  operation: Operation,
  values: Values,
  { said = {}, preview, final, named = () => undefined }: Asking,
): Promise<number> {
  const format = requestedFormat(operation, values);
  const input = { ...inputOf(operation, values), ...said };
  const remote = operation.cli?.isLocal ? undefined : await remoteOf(settings, values);
  // Invalid input opens no database.
  const misread = remote ? unnamedOf(operation, input) : misreadOf(operation, input);
  if (misread) return fail(misread, { operation, values });
  const { ask, deps, close } = await openAnswering(settings, remote, {
    isKill: operation.name === "set_kill_switch" && !said.stop,
  });
  let code = 0;
  try {
    if (!(await confirmFinal(final, input, values, { shown: preview, ask }))) return 1;
    const again = () =>
      values.json ? ask(operation, input) : askForPeople(operation, input, { ask, named });
    const first = await again();
    if (first.status !== 200) return fail(first, { remote, operation, values });
    const surface = operation.cli?.until;
    const waited = surface ? await until(first, { surface, ask: again, values }) : undefined;
    const { answer, isDone } = waited ?? { answer: first, isDone: true };
    if (answer.status !== 200) return fail(answer, { remote, operation, values });
    const show = (body: unknown) => answerText(operation, body, values);
    if (values.watch) return await watch(answer, { ask: again, show, asJson: values.json === true });
    const pages: Omit<Paging, "isWhole"> = { input, ask: (page) => ask(operation, page) };
    if (format === "csv") await printTable(operation, answer, pages);
    else printAnswer(operation, answer.body, { format, values, isSimulated: settings.config.sandbox });
    if (!isDone) return 1;
    code = operation.cli?.exit?.(answer.body) ?? 0;
    if (operation.cli?.steps) await warnWithoutServer(settings, deps, values);
  } finally {
    close();
  }
  return code;
}

/** Calls an operation, and adds what people see of the operation beside it. Only its own failure is one. */
export async function askForPeople(
  operation: Operation,
  input: Record<string, unknown>,
  { ask, named }: Pick<Answering, "ask"> & Required<Pick<Asking, "named">>,
): Promise<Answer> {
  const answer = await ask(operation, input);
  const { beside } = operation.cli ?? {};
  const call = beside?.call(input);
  const other = call && named(call.name);
  if (!beside || !other || answer.status !== 200) return answer;
  const { status, body } = await ask(other, call.input);
  return status === 200 ? { ...answer, body: beside.add(answer.body, body) } : answer;
}

/** Warns if no server runs the strategies of the database that this process has opened. */
export async function warnWithoutServer(
  { config }: CliSettings,
  deps: Deps | undefined,
  values: Values,
): Promise<void> {
  const flags = whereFlags({ ...values, sandbox: config.sandbox });
  const warning = deps && (await warningWithoutServer(deps, flags));
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
}

const WATCH_INTERVAL_MS = 2000;
/** Terminal codes that move to the top left and clear what is below. */
const REDRAW = "\x1b[H\x1b[J";

/** Calls again; a failure is a response too. */
export const callAgain = (ask: WatchedAnswer["ask"]): Promise<Answer> =>
  ask().catch((error: unknown) => ({ status: 500, body: { error: "No answer", message: messageOf(error) } }));

const printAnswer = (
  operation: Operation,
  body: unknown,
  {
    format,
    values,
    isSimulated,
  }: { readonly format: Format; readonly values: Values; readonly isSimulated: boolean },
): void => {
  const html = format === "html" ? operation.html?.(body) : undefined;
  const text = html === undefined ? `${answerText(operation, body, values)}\n` : html;
  process.stdout.write(isSimulated && html !== undefined ? simulatedPage(text) : text);
};

async function printTable(
  operation: Operation,
  first: Answer,
  { input, ask }: Omit<Paging, "isWhole">,
): Promise<void> {
  const isWhole = input.limit === undefined;
  for await (const rows of tableOf(operation, first, { input, isWhole, ask })) process.stdout.write(rows);
}

/** Formats a response for people, or as JSON; with --watch, one JSON line per response. */
function answerText(operation: Operation, body: unknown, { json, watch: again, columns }: Values): string {
  if (json) return again ? JSON.stringify(body) : JSON.stringify(body, null, 2);
  const { cli } = operation;
  const result = wordsOf(operation, body);
  return render(result, cli?.columns && { priority: cli.columns, chosen: chosenOf(columns, result) });
}

/** Returns the requested columns; undefined if none are requested. */
function chosenOf(
  request: Values[string] | undefined,
  result: unknown,
): readonly string[] | "all" | undefined {
  if (request === undefined || request === "all") return request;
  const names = String(request)
    .split(",")
    .map((name) => name.trim());
  const known = columnNames(result);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined || known.length === 0) return names;
  throw new UsageError(`--columns: there is no column ${unknown}; choose from ${known.join(", ")}`);
}

/**
 * Returns the server for the call: the requested one, else the running local one of this database; undefined without
 * a server.
 */
export async function remoteOf(settings: CliSettings, values: Values): Promise<Remote | undefined> {
  const request = requestRemote(settings, values);
  // A seed or another exchange URL concerns this process, not a server.
  if (request || values.seed !== undefined || values["venue-url"] !== undefined) return request;
  return findServer(dataDirectory(process.env), settings.databaseUrl);
}

interface Answering {
  ask(operation: Operation, input: Record<string, unknown>): Promise<Answer>;
  /** This process's dependencies, if it responds itself. */
  readonly deps?: Deps;
  close(): void;
}

/** Opens the server, or this process, which must be closed afterwards. */
export async function openAnswering(
  settings: CliSettings,
  remote: Remote | undefined,
  { isKill = false } = {},
): Promise<Answering> {
  if (remote)
    return { ask: (operation, input) => callRemote(operation, input, remote), close: () => undefined };
  // Not loaded if a server responds.
  const { openDeps } = await import("./open-database.ts");
  const deps = await openDeps(settings, { isKill });
  return { ask: (operation, input) => answerHere(operation, input, deps), deps, close: deps.close };
}

/** Returns the error for a missing path field; a server would not find the path. */
function unnamedOf(operation: Operation, input: Record<string, unknown>): Answer | undefined {
  const fields = [...routeOf(operation).path.matchAll(/:(\w+)/g)].map(([, field = ""]) => field);
  const missing = fields.find((field) => input[field] === undefined);
  return missing === undefined ? undefined : misreadOf(operation, { ...input, [missing]: undefined });
}

/** Returns an operation's response from this process's database and exchanges. */
async function answerHere(operation: Operation, input: Record<string, unknown>, deps: Deps): Promise<Answer> {
  const call = { actor: "local", requestId: nodeLocal.randomText(12) };
  return misreadOf(operation, input) ?? run(operation, deps, operation.input.strict().parse(input), call);
}

interface ShownFirst {
  /** Operation whose response is shown before the question. */
  readonly shown: Operation | undefined;
  readonly ask: (operation: Operation, input: Record<string, unknown>) => Promise<Answer>;
}

/**
 * Returns whether to make a call that cannot be undone: with --yes, or after a confirmation in a terminal. Throws if it
 * needs one and there is no terminal.
 */
async function confirmFinal(
  final: Asking["final"],
  input: Readonly<Record<string, unknown>>,
  values: Values,
  { shown, ask }: ShownFirst,
): Promise<boolean> {
  const message = final?.question(input);
  if (message === undefined || values.yes) return true;
  if (values.json || !isAtTerminal())
    throw new UsageError("this cannot be undone, and nobody can confirm it: add --yes");
  if (shown) {
    const fields = Object.entries(input).filter(([field]) => Object.hasOwn(shown.input.shape, field));
    const { status, body } = await ask(shown, Object.fromEntries(fields));
    if (status === 200) process.stdout.write(`${render(shown.cli?.view?.(body) ?? body)}\n`);
  }
  const { isCancel, confirm } = await import("@clack/prompts");
  const answer = await confirm({ message, initialValue: false });
  return !isCancel(answer) && answer;
}

const READ_INTERVAL_MS = 1000;

interface Going {
  readonly surface: NonNullable<CommandSurface["until"]>;
  readonly ask: () => Promise<Answer>;
  readonly values: Values;
}

/**
 * Repeats a call until it is done or nothing changes for a time, and prints each change to stderr. A server that does
 * not respond may be restarting, so neither that nor a failure ends it.
 */
export async function until(
  first: Answer,
  { surface, ask, values }: Going,
): Promise<{ readonly answer: Answer; readonly isDone: boolean }> {
  const seconds = wholeFlag(values, "wait", { default: 60, max: 86_400 });
  let [answer, last, changedAt] = [first, "", performance.now()];
  for (;;) {
    if (answer.status === 200 && surface.isDone(answer.body)) return { answer, isDone: true };
    const text = answer.status === 200 ? surface.progress(answer.body) : failureText(answer);
    if (text !== last) {
      process.stderr.write(`${plainText(text, 1000)}\n`);
      [last, changedAt] = [text, performance.now()];
    }
    if (performance.now() - changedAt >= seconds * 1000) return { answer, isDone: false };
    await sleep(READ_INTERVAL_MS);
    answer = await callAgain(ask);
  }
}

export interface WatchedAnswer {
  readonly ask: () => Promise<Answer>;
  readonly show: (body: unknown) => string;
  /** Whether responses, and failures as well, are lines of JSON. */
  readonly asJson: boolean;
}

/** Shows responses until Ctrl-C, each in place of the previous one on a terminal. It shows failures and continues. */
export async function watch(first: Answer, { ask, show, asJson }: WatchedAnswer): Promise<number> {
  const over = new AbortController();
  onEndSignal(() => over.abort());
  // The reader has closed the pipe: `edgemaker … --watch | head`.
  process.stdout.once("error", () => over.abort());
  const failed = asJson ? ({ body }: Answer) => JSON.stringify(body) : failureText;
  for (let answer = first; !over.signal.aborted; answer = await callAgain(ask)) {
    process.stdout.write(
      `${process.stdout.isTTY ? REDRAW : ""}${answer.status === 200 ? show(answer.body) : failed(answer)}\n`,
    );
    await sleep(WATCH_INTERVAL_MS, undefined, { signal: over.signal }).catch(() => undefined);
    if (over.signal.aborted) break;
  }
  return 0;
}

export function failureText({ body }: Answer): string {
  const { error, message = "no message" } = body as { error?: string; message?: string };
  return `${error}: ${plainText(message)}`;
}
