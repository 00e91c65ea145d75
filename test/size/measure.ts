import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { createOperations } from "../../src/operations.ts";
import { type Schema, schemaOf } from "../../src/transport/openapi-schema.ts";
import { importsOf, namedBy, type Sources, walk } from "../check/house.ts";
import { trackedSources } from "../check/sources.ts";
import { listOf, type Node, nodeOf, parse } from "../mutation/syntax.ts";
import { root } from "../support/bundle.ts";

export type Sizes = Readonly<Record<string, number>>;

export const INSTALL = "npm ci MB";
/** Printed, but without a limit: a fix may always add its test. */
export const TEST_LINES = "test lines";

/** Returns every number; without the install's size if node_modules is not what package-lock.json lists. */
export function measure(): Sizes {
  const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = readJson("package.json");
  const install = installSize();
  const operations = createOperations([]);
  const fields = (io: "input" | "output") =>
    sum(operations.map((operation) => fieldsOf(schemaOf(operation[io], io, operation.name))));
  return {
    ...codeSizes(trackedSources("src", "cli"), readJson("tsconfig.json").compilerOptions.paths),
    [TEST_LINES]: linesOf(trackedSources("test")),
    operations: operations.length,
    "input fields": fields("input"),
    "output fields": fields("output"),
    dependencies: Object.keys({ ...dependencies, ...optionalDependencies }).length,
    "development dependencies": Object.keys(devDependencies).length,
    ...(install === undefined ? {} : { [INSTALL]: install }),
  };
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Counts code. `aliases` are the paths of tsconfig.json. */
export function codeSizes(sources: Sources, aliases: Readonly<Record<string, readonly string[]>>): Sizes {
  const users = new Map<string, number>();
  let [tokens, exported] = [0, 0];
  for (const [path, text] of sources) {
    const program = parse(path, text);
    tokens += tokensOf(text, program);
    exported += exportsOf(program);
    const named = namedBy(program, USES).map((name) => {
      const [target] = aliases[name] ?? [];
      return target === undefined ? name : `./${posix.relative(posix.dirname(path), target)}`;
    });
    for (const target of importsOf(path, named, sources)) users.set(target, (users.get(target) ?? 0) + 1);
  }
  return {
    tokens,
    lines: linesOf(sources),
    files: sources.size,
    "files used by one other": [...users.values()].filter((count) => count === 1).length,
    "exported symbols": exported,
  };
}

const USES = new Set(["ImportDeclaration", "ImportExpression"]);

const linesOf = (sources: Sources): number =>
  sum([...sources.values()].map((text) => text.trimEnd().split("\n").length));

const exportsOf = (program: Node): number =>
  sum(
    listOf(program.body)
      .filter(({ type }) => type.startsWith("Export"))
      .map(({ declaration, specifiers }) =>
        Math.max(1, listOf(specifiers).length, listOf(nodeOf(declaration)?.declarations).length),
      ),
  );

/** What counts as a given number of tokens, whatever stands in it. */
const ATOMS: Readonly<Record<string, (node: Node) => number | undefined>> = {
  Literal: () => 1,
  TemplateElement: () => 1,
  JSXText: ({ value }) => (String(value).trim() === "" ? 0 : 1),
  // A formatter writes {" "} where it breaks a line.
  JSXExpressionContainer: ({ expression }) =>
    String(nodeOf(expression)?.value ?? "-").trim() === "" ? 0 : undefined,
};
const PARENTHESES = new Set(["ParenthesizedExpression", "TSParenthesizedType"]);
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** A separator before a closing bracket, and the first bar of a union: a formatter writes them in broken lines. */
const OPTIONAL = /[,;](?=\s*[)\]}>])|(?<=(?:[=:(<,[?]|=>|\b(?:as|extends|satisfies))\s*)[|&](?![|&])/g;
const TOKEN = /[\p{L}\p{N}_$]+|=>|\.{3}|\?\.|([?&|*])\1=?|[!=<+*/%&|^-]=+|\+\+|--|\S/gu;

/** Counts words, literals and signs, the same however the text is formatted. */
function tokensOf(text: string, program: Node): number {
  const atoms: { start: number; end: number; tokens: number }[] = [];
  let parentheses = 0;
  walk(program, (node) => {
    const tokens = ATOMS[node.type]?.(node);
    if (tokens !== undefined) atoms.push({ start: node.start, end: node.end, tokens });
    if (PARENTHESES.has(node.type)) parentheses += 2;
  });
  atoms.sort((a, b) => a.start - b.start || b.end - a.end);
  let [tokens, at] = [-parentheses, 0];
  for (const atom of [...atoms, { start: text.length, end: text.length, tokens: 0 }]) {
    if (atom.start < at) continue;
    const between = text.slice(at, atom.start).replace(COMMENT, " ").replace(OPTIONAL, " ");
    tokens += atom.tokens + (between.match(TOKEN)?.length ?? 0);
    at = atom.end;
  }
  return tokens;
}

/** Counts fields that have no fields of their own; of alternatives, the one with most. */
export function fieldsOf(schema: Schema): number {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return (
    sum(Object.values(properties).map((field) => Math.max(1, fieldsOf(field)))) +
    sum([...values, ...(items ? [items] : [])].map(fieldsOf)) +
    Math.max(0, ...[...anyOf, ...(oneOf as readonly Schema[])].map(fieldsOf))
  );
}

/** Returns the megabytes in node_modules, without caches, if it has exactly what package-lock.json lists. */
function installSize(): number | undefined {
  const modules = join(root, "node_modules");
  if (!existsSync(join(modules, ".package-lock.json"))) return undefined;
  const { packages: installed } = readJson("node_modules/.package-lock.json");
  const { "": _root, ...listed } = readJson("package-lock.json").packages;
  const isClean =
    Object.keys(installed).every((path) => listed[path]?.version === installed[path].version) &&
    Object.keys(listed).every((path) => path in installed || listed[path].optional);
  const packages = readdirSync(modules).filter((name) => !name.startsWith("."));
  return isClean ? Math.ceil(sum(packages.map((name) => bytesOf(join(modules, name)))) / 2 ** 20) : undefined;
}

function bytesOf(path: string): number {
  const found = lstatSync(path);
  return found.isDirectory() ? sum(readdirSync(path).map((name) => bytesOf(join(path, name)))) : found.size;
}
