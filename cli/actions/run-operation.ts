import { declaredPlanText } from "../../src/declared/schema/view.ts";
import { type Operation, routeOf } from "../../src/operation.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { formatQuotePlan } from "../../src/quote/schema/view.ts";
import { type Format, type Paging, tableOf } from "../../src/transport/csv.ts";
import { type Answer, run } from "../../src/transport/run.ts";
import { dataDirectory } from "../host/directories.ts";
import {
  killedByEither,
  orElse,
  releasedFromBoth,
  sayKillElsewhere,
  sayKillFile,
} from "../host/kill-file.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { callRemote, namesServer, type Remote, requestRemote } from "../host/remote.ts";
import { runningServers } from "../host/running-servers.ts";
import { findServer } from "../host/server-file.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import { whereFlags } from "../host/where-flags.ts";
import type { Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import { columnNames, render } from "../terminal/output.ts";
import { fail, misreadOf } from "../terminal/refused.ts";
import { requestedFormat, withJson } from "../terminal/requested-format.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { confirmFinal } from "./confirm-final.ts";
import { confirmEdit, confirmStart, type ShownChange } from "./confirm-start.ts";
import { formatEdit, formatQuoteEdit, type ShownEdit, type ShownQuoteEdit } from "./plan-text.ts";
import { wordsOf } from "./result-text.ts";
import { until } from "./until.ts";
import { watch } from "./watch.ts";

/** Options of a command's call besides its values. */
export interface Asking {
  /** Input without a flag. */
  readonly said?: Readonly<Record<string, unknown>> | undefined;
  /** Operation that runs first if a user can confirm: the preview of a start or a change, the status before a stop. */
  readonly preview?: Operation | undefined;
}

/** Calls an operation on a server, or runs it here if no server runs. Returns the exit code. */
export async function runOperation(
  operation: Operation,
  given: Values,
  { said, preview }: Asking = {},
): Promise<number> {
  const values = withJson(given);
  const settings = readSettings(values, process.env);
  const run = () => runWith(settings, operation, values, { said, preview });
  // Stopping everything must not depend on a responding server or a working database.
  if (operation.lane !== "urgent" || operation.effect !== "admin") return run();
  const { databaseUrl } = settings;
  if (namesServer(settings, values)) return said?.on === false ? run() : orElse(run, sayKillElsewhere);
  if (typeof said?.on === "boolean")
    return said.on ? killedByEither(databaseUrl, run) : releasedFromBoth(databaseUrl, run);
  return orElse(run, () => sayKillFile(databaseUrl));
}

async function runWith(
  settings: CliSettings,
  operation: Operation,
  values: Values,
  { said = {}, preview }: Asking,
): Promise<number> {
  const format = requestedFormat(operation, values);
  const input = { ...inputOf(operation, values), ...said };
  const remote = operation.cli?.isLocal ? undefined : await remoteOf(settings, values);
  // Invalid input opens no database.
  const misread = remote ? unnamedOf(operation, input) : misreadOf(operation, input);
  if (misread) return fail(misread, { operation, values });
  const { ask, deps, close } = await openAnswering(settings, remote);
  let code = 0;
  try {
    if (!(await confirmFinal(operation, input, values, { shown: preview, ask }))) return 1;
    const first =
      preview && !operation.cli?.final
        ? await askPreviewed(input, values, { preview, operation, ask, isSimulated: settings.config.sandbox })
        : await ask(operation, input);
    if (first === undefined) return 1;
    if (first.status !== 200) return fail(first, { remote, operation, values });
    const surface = operation.cli?.until;
    const again = () => ask(operation, input);
    const waited = surface ? await until(first, { surface, ask: again, values }) : undefined;
    const { answer, isDone } = waited ?? { answer: first, isDone: true };
    if (answer.status !== 200) return fail(answer, { remote, operation, values });
    const show = (body: unknown) => answerText(operation, body, values);
    if (values.watch) return await watch(answer, { ask: again, show, asJson: values.json === true });
    const pages: Omit<Paging, "isWhole"> = { input, ask: (page) => ask(operation, page) };
    if (format === "csv") await printTable(operation, answer, pages);
    else printAnswer(operation, answer.body, { format, values });
    if (!isDone) return 1;
    code = operation.cli?.exit?.(answer.body) ?? 0;
    if (operation.cli?.steps) await sayUnstepped(settings, deps, values);
  } finally {
    close();
  }
  return code;
}

/** Changes with a preview: its format, and the confirmation question. */
const CHANGES_SHOWN: Readonly<Record<string, ShownChange>> = {
  preview_quote: {
    formatAs: (plan) => formatQuotePlan(plan),
    question: "Start these quotes?",
    starts: "quote",
  },
  preview_grid_edit: {
    formatAs: (plan) => formatEdit(plan as ShownEdit),
    question: "Change this grid?",
  },
  preview_quote_edit: {
    formatAs: (plan) => formatQuoteEdit(plan as ShownQuoteEdit),
    question: "Change these quotes?",
  },
};

const DECLARED_SHOWN: ShownChange = {
  formatAs: declaredPlanText,
  question: "Start this strategy?",
  starts: "strategy",
};

const isOwnStrategy = ({ cli }: Operation): boolean => cli?.path.startsWith("strategy ") === true;

/** Runs a start or a change after the user has confirmed its preview. */
function askPreviewed(
  given: Record<string, unknown>,
  values: Values,
  {
    preview,
    operation,
    ask,
    isSimulated,
  }: { preview: Operation; operation: Operation; isSimulated: boolean } & Pick<Answering, "ask">,
): Promise<Answer | undefined> {
  const asks = {
    preview: (request: Record<string, unknown>) => ask(preview, request),
    start: (request: Record<string, unknown>) => ask(operation, request),
    isSimulated,
  };
  const change = CHANGES_SHOWN[preview.name] ?? (isOwnStrategy(preview) ? DECLARED_SHOWN : undefined);
  return change ? confirmEdit(given, values, { ...asks, ...change }) : confirmStart(given, values, asks);
}

/** Warns if no server runs the strategies of the database that this process has opened. */
export async function sayUnstepped(
  { config }: CliSettings,
  deps: Deps | undefined,
  values: Values,
): Promise<void> {
  if (!deps || (await runningServers(deps)).length > 0) return;
  const flags = whereFlags({ ...values, sandbox: config.sandbox });
  process.stderr.write(`No server is running, so nothing trades yet; start \`edgemaker serve${flags}\`.\n`);
}

const printAnswer = (
  operation: Operation,
  body: unknown,
  { format, values }: { readonly format: Format; readonly values: Values },
): void =>
  void process.stdout.write(
    format === "html" ? (operation.html?.(body) ?? "") : `${answerText(operation, body, values)}\n`,
  );

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
export async function openAnswering(settings: CliSettings, remote: Remote | undefined): Promise<Answering> {
  if (remote)
    return { ask: (operation, input) => callRemote(operation, input, remote), close: () => undefined };
  // Not loaded if a server responds.
  const { openDeps } = await import("./database/open.ts");
  const deps = await openDeps(settings);
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
