import { createDeps } from "../src/deps.ts";
import { AppError } from "../src/errors.ts";
import { plainText } from "../src/kernel/plain-text.ts";
import type { Operation } from "../src/operation.ts";
import { fromTexts, kindsOf, refusalOf } from "../src/transport/input.ts";
import { type Answer, refusal, run } from "../src/transport/run.ts";
import type { Values } from "./arguments.ts";
import { dataDirectory } from "./directories.ts";
import { textsOf } from "./fields.ts";
import { createLog, nodeLocal, nodeRuntime } from "./node-runtime.ts";
import { render } from "./output.ts";
import { askedRemote, callRemote, type Remote } from "./remote.ts";
import { findServer } from "./server-file.ts";
import { readSettings, type Settings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { watch } from "./watch.ts";

/** Asks a server for an operation, or runs it here when there is none; `said` is input that no flag gives. Returns the exit code. */
export async function runOperation(
  operation: Operation,
  values: Values,
  said: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const settings = readSettings(values, process.env);
  const asTable = isTable(values);
  const input = { ...fromTexts(kindsOf(operation), textsOf(operation, values)), ...said };
  const remote = await remoteOf(settings, values);
  const { ask, close } = remote
    ? { ask: () => callRemote(operation, input, remote), close: () => undefined }
    : await asking(operation, input, settings);
  try {
    const answer = await ask();
    if (answer.status !== 200) return fail(answer, remote);
    if (values.watch) return await watch(answer, { ask, show: (body) => shown(operation, body, values) });
    if (asTable) process.stdout.write(operation.csv?.(answer.body) ?? "");
    else process.stdout.write(`${shown(operation, answer.body, values)}\n`);
  } finally {
    close();
  }
  if (!remote && operation.cli?.steps) {
    const flag = settings.config.sandbox ? " --sandbox" : "";
    process.stderr.write(
      `No server is running, so nothing steps it: start one with \`edgemaker serve${flag}\`.\n`,
    );
  }
  return 0;
}

/** As JSON, each answer of a watch on a line of its own, or as a person reads it. */
function shown({ cli }: Operation, body: unknown, { json, watch: again }: Values): string {
  if (json) return again ? JSON.stringify(body) : JSON.stringify(body, null, 2);
  return render(cli?.view ? cli.view(body) : body);
}

function isTable({ format, json }: Values): boolean {
  if (format !== undefined && format !== "csv" && format !== "json")
    throw new UsageError("--format must be csv or json");
  if (format === "csv" && json) throw new UsageError("--format csv and --json exclude each other");
  return format === "csv";
}

/** The server that answers, if one does: the one asked for, else the running local one of this database. */
async function remoteOf(settings: Settings, values: Values): Promise<Remote | undefined> {
  const asked = askedRemote(settings, values);
  // A seed or another venue address is this process's own business, not that of a server.
  if (asked || values.seed !== undefined || values["venue-url"] !== undefined) return asked;
  return findServer(dataDirectory(process.env), settings.databaseUrl);
}

/** Asks the operation in this process. */
async function asking(
  operation: Operation,
  input: Record<string, unknown>,
  { config, databaseUrl, sandbox }: Settings,
): Promise<{ ask: () => Promise<Answer>; close: () => void }> {
  const parsed = operation.input.strict().safeParse(input);
  if (!parsed.success) {
    const { label, message, issues } = refusalOf(operation, parsed.error);
    return { ask: async () => refusal(new AppError(label, message, { issues }), ""), close: () => undefined };
  }
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")), sandbox);
  const call = () => ({ actor: "local", requestId: nodeLocal.randomText(12) });
  return { ask: () => run(operation, deps, parsed.data, call()), close: deps.close };
}

/** The failure on stderr. What the form of the input is to blame for is the command line's fault. */
function fail({ status, body }: Answer, remote: Remote | undefined): number {
  const { error, message, issues } = body as { error?: string; message?: string; issues?: unknown };
  process.stderr.write(`${error ?? `status ${status}`}: ${plainText(message ?? "no message", 1000)}\n`);
  if (status === 401 && remote && error === "Unauthorized")
    process.stderr.write("Give a token with --token or EDGEMAKER_TOKEN.\n");
  return issues === undefined ? 1 : 2;
}
