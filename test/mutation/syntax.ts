import { parseSync } from "vite";

/** A node of a syntax tree as the parser of our bundler tells it: a type, a place in the text, and its parts. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

export function parse(path: string, text: string): Node {
  const { program, errors } = parseSync(path, text, { preserveParens: true });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return program as unknown as Node;
}

export const parses = (path: string, text: string): boolean => parseSync(path, text).errors.length === 0;

const isNode = (part: unknown): part is Node =>
  typeof part === "object" && part !== null && typeof (part as Node).type === "string";

/** What runs: types are no part of it. */
const TYPED = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const isOfTypes = ({ type }: Node): boolean => type.startsWith("TS") && !TYPED.has(type);

/** The parts of a node that run, in the order of their text. */
export function partsOf(node: Node): Node[] {
  const parts = Object.entries(node).flatMap(([name, part]) => {
    // Of `{ a }` the same text is key and value.
    if (name === "key" && node.shorthand === true) return [];
    return (Array.isArray(part) ? part : [part]).filter(isNode);
  });
  return parts.filter((part) => !isOfTypes(part)).sort((a, b) => a.start - b.start || a.end - b.end);
}

export const listOf = (part: unknown): readonly Node[] => (Array.isArray(part) ? part.filter(isNode) : []);
export const nodeOf = (part: unknown): Node | undefined => (isNode(part) ? part : undefined);

/** Every name that stands in a node. */
export function namesIn(node: Node): string[] {
  const own = node.type === "Identifier" ? [String(node.name)] : [];
  return [...own, ...partsOf(node).flatMap(namesIn)];
}

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"]);
export const isFunction = ({ type }: Node): boolean => FUNCTIONS.has(type);

/** Whether a node waits by itself, and not only in a function that it makes. */
export const waits = (node: Node): boolean =>
  node.type === "AwaitExpression" || partsOf(node).some((part) => !isFunction(part) && waits(part));

/** What a file declares outside of all functions, by name. */
function declared(program: Node): ReadonlyMap<string, Node> {
  const statements = listOf(program.body).map((one) => nodeOf(one.declaration) ?? one);
  const all = statements.flatMap((one) => [one, ...listOf(one.declarations)]);
  return new Map(all.flatMap((one) => (nodeOf(one.id) ? [[ownStrategyName(one), one] as const] : [])));
}

export const ownStrategyName = (node: Node): string => String(nodeOf(node.id)?.name);

/** What makes texts of statements that are built once in a process: what `prepare` is given by name, and what that asks. */
export function textMakers(program: Node, text: string): ReadonlySet<string> {
  const known = declared(program);
  const given = [...text.matchAll(/\bprepare\(([^()]*)/g)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  );
  const makers = new Set(given.filter((name) => known.has(name)));
  for (const name of makers)
    for (const other of namesIn(known.get(name) as Node)) if (known.has(other)) makers.add(other);
  return makers;
}
