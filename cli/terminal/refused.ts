import { AppError, type Issue } from "../../src/kernel/errors.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Operation } from "../../src/operation.ts";
import { type Format, formatsOf } from "../../src/transport/csv.ts";
import { inputRefusal } from "../../src/transport/input.ts";
import { type Answer, refusal } from "../../src/transport/run.ts";
import { UsageError, type Values } from "./arguments.ts";
import { argName } from "./fields.ts";

/** Returns the error of invalid input; undefined if the input is valid. */
export function misreadOf(operation: Operation, input: Record<string, unknown>): Answer | undefined {
  const parsed = operation.input.strict().safeParse(input);
  if (parsed.success) return undefined;
  const { label, message, issues } = inputRefusal(operation, parsed.error);
  return refusal(new AppError(label, message, { issues }), "");
}

/** Prints the failure to stderr. Invalid input counts as a wrong command line. */
export function fail(
  answer: Answer,
  {
    remote,
    operation,
    values,
  }: {
    readonly remote?: object | undefined;
    readonly operation?: Operation;
    readonly values?: Values;
  },
): number {
  const { status } = answer;
  const body = withoutUnloaded(answer.body as Failure, operation);
  const { error, message = "no message", issues } = body;
  if (values?.json) {
    process.stderr.write(`${JSON.stringify(body)}\n`);
    return issues === undefined ? 1 : 2;
  }
  const first = issues?.[0];
  const text = operation
    ? withFlags(operation, first ? describeFlag(operation, { ...first, message }) : message)
    : message;
  process.stderr.write(`${error ?? `status ${status}`}: ${plainText(text, 1000)}\n`);
  if (error && process.stderr.isTTY) process.stderr.write(`What it means: edgemaker docs "${error}"\n`);
  // Report all errors at once, so nobody has to retry for each one.
  for (const { path, message: other } of (operation && issues ? issues.slice(1) : []).slice(
    0,
    MAX_ISSUES_SHOWN,
  ))
    process.stderr.write(`  ${flagged(operation as Operation, { path, message: plainText(other, 300) })}\n`);
  if (status === 401 && remote && error === "Unauthorized")
    process.stderr.write("Give a token with --token or EDGEMAKER_TOKEN.\n");
  return issues === undefined ? 1 : 2;
}

/** A command has its definition from a file of this machine; a server that started earlier does not know that file. */
function withoutUnloaded(body: Failure, operation: Operation | undefined): Failure {
  if (!operation?.cli || Object.hasOwn(operation.input.shape, "definition")) return body;
  if (body.issues?.[0]?.path !== "definition") return body;
  const name = operation.cli.path.split(" ").at(-1);
  const message = `the running server does not know ${name}; restart it to load it`;
  return { ...body, message, issues: [{ path: "", message }] };
}

const MAX_ISSUES_SHOWN = 20;

const flagged = (operation: Operation, { path, message }: Issue): string =>
  `--${argName(operation, path).replace(".", "-")} ${message.startsWith(`${path} `) ? message.slice(path.length + 1) : message}`;

/** Replaces a field's name in a message with the flag that the user typed. */
const describeFlag = (operation: Operation, issue: Issue): string =>
  issue.path && (issue.message.startsWith(`${issue.path} `) || /^(must be|is missing)\b/.test(issue.message))
    ? flagged(operation, issue)
    : issue.message;

/** Replaces the names of fields that no plain word has, such as `allowLoss`, with the flags of the command. */
const withFlags = (operation: Operation, text: string): string =>
  text.replace(/(?<![\w-])[a-z]+[A-Z]\w*/g, (word) =>
    Object.hasOwn(operation.input.shape, word) ? `--${argName(operation, word)}` : word,
  );

interface Failure {
  readonly error?: string;
  readonly message?: string;
  readonly issues?: readonly Issue[];
}

/** Returns the format of a command's output. Throws UsageError for another one, and for flags that exclude each other. */
export function requestedFormat(operation: Operation, { format, json, columns }: Values): Format {
  if (columns !== undefined && (format !== undefined || json))
    throw new UsageError(
      "--columns works only for tables in a terminal; --json and --format include every column",
    );
  if (format === undefined) return "json";
  const formats = formatsOf(operation);
  const found = formats.find((one) => one === format);
  if (!found) throw new UsageError(`--format must be ${[...formats].reverse().join(" or ")}`);
  if (found !== "json" && json) throw new UsageError(`--format ${found} and --json exclude each other`);
  return found;
}

/** Returns an answer whose errors name the flags of a config's fields. */
export function withoutConfig(answer: Answer): Answer {
  const { issues, ...body } = answer.body as { readonly issues?: readonly Issue[] };
  const named = issues?.map((issue) => ({ ...issue, path: issue.path.replace(/^config\./, "") }));
  return { ...answer, body: { ...body, ...(named ? { issues: named } : {}) } };
}

/** Returns a command's values, in which `--format json` is `--json`. */
export const withJson = (values: Values): Values =>
  values.format === "json" ? { ...values, json: true } : values;
