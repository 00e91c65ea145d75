import { posix } from "node:path";
import { listOf, type Node, nodeOf, parse } from "../mutation/syntax.ts";

/** Text by path, as the repository has them. */
export type Sources = ReadonlyMap<string, string>;

export interface LongPart {
  readonly name: string;
  readonly lines: number;
}

export interface LongFunction extends LongPart {
  /** From its first line to its last one, with the functions that stand in it. */
  readonly whole: number;
}

export interface House {
  /** Rooms from the ground up; a room stands above all that it imports. */
  readonly floors: readonly (readonly string[])[];
  /** Folders that stand side by side, and files, that import each other in a loop. Types count. */
  readonly folderCircles: readonly (readonly string[])[];
  readonly fileCircles: readonly (readonly string[])[];
  readonly looseFiles: readonly string[];
  readonly fullFolders: readonly string[];
  /** Names that two files or more define for themselves, and those files. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly files: readonly LongPart[];
  readonly functions: readonly LongFunction[];
  /** Which room imports which, and by which files. */
  readonly arrows: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const MAX_FILES_IN_FOLDER = 40;
const MIN_NAME_CHARACTERS = 3;

/** A folder of `src`, a file beside them, or the whole of another root. */
export function roomOf(path: string): string {
  const [root = "", folder = "", ...rest] = path.split("/");
  if (root !== "src") return root;
  return rest.length > 0 ? `${root}/${folder}` : path;
}

/** The structure that a program's own imports and definitions give it. */
export function houseOf(sources: Sources): House {
  const programs = [...sources].map(([path, text]) => ({ path, text, ...factsOf(path, text) }));
  const imports = new Map(programs.map(({ path, named }) => [path, importsOf(path, named, sources)]));
  const arrows = arrowsBetween(imports);
  const rooms = new Map(Object.entries(arrows).map(([room, to]) => [room, Object.keys(to)]));
  return {
    floors: floorsOf(rooms),
    folderCircles: folderCircles(imports),
    fileCircles: circlesOf(imports),
    looseFiles: [...sources.keys()].filter((path) => /^src\/[^/]+$/.test(path)),
    fullFolders: fullFolders([...sources.keys()]),
    names: namesDefinedTwice(programs),
    files: programs.map(({ path, text }) => ({ name: path, lines: text.trimEnd().split("\n").length })),
    functions: programs.flatMap(({ functions }) => functions),
    arrows,
  };
}

const IMPORTS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

/** What one file's text tells, whichever other files there are. */
interface Facts {
  /** What it imports, as it names it. */
  readonly named: readonly string[];
  readonly defined: readonly string[];
  readonly functions: readonly LongFunction[];
}

const KNOWN = new Map<string, Facts>();

function factsOf(path: string, text: string): Facts {
  const key = `${path}\n${text}`;
  const known = KNOWN.get(key);
  if (known) return known;
  const program = parse(path, text);
  const facts = {
    named: namedBy(program),
    defined: definedBy(program),
    functions: functionsOf(path, text, program),
  };
  KNOWN.set(key, facts);
  return facts;
}

/** Returns what a file imports, by the given kinds of import: all of them unless named. */
export function namedBy(program: Node, kinds: ReadonlySet<string> = IMPORTS): string[] {
  const found: string[] = [];
  walk(program, (node) => {
    if (!kinds.has(node.type)) return;
    const named = nodeOf(node.source) ?? nodeOf(node.argument);
    const literal = named?.type === "TSLiteralType" ? nodeOf(named.literal) : named;
    if (typeof literal?.value === "string") found.push(literal.value);
  });
  return found;
}

/** Files of the program among them. */
export function importsOf(path: string, named: readonly string[], sources: Sources): string[] {
  const targets = named
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(path), name));
  return [...new Set(targets)].filter((target) => sources.has(target) && target !== path);
}

const isNode = (part: unknown): part is Node =>
  typeof part === "object" && part !== null && typeof (part as Node).type === "string";

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** Visits a node and all nodes below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

function arrowsBetween(imports: ReadonlyMap<string, readonly string[]>): House["arrows"] {
  const arrows: Record<string, Record<string, string[]>> = {};
  for (const [path, targets] of imports) {
    const from = roomOf(path);
    arrows[from] ??= {};
    for (const target of targets) {
      const to = roomOf(target);
      if (to === from) continue;
      const known = arrows[from][to] ?? [];
      arrows[from][to] = [...known, `${path} -> ${target}`];
    }
  }
  return arrows;
}

/** In each folder, of the folders and files that stand in it. */
function folderCircles(imports: Graph): string[][] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const [path, targets] of imports)
    for (const target of targets) {
      const [from, to] = [path.split("/"), target.split("/")];
      const depth = from.findIndex((part, i) => part !== to[i]);
      const folder = from.slice(0, depth).join("/");
      const graph = graphs.get(folder) ?? new Map<string, Set<string>>();
      const [here, there] = [from, to].map((parts) => parts.slice(0, depth + 1).join("/")) as [
        string,
        string,
      ];
      graphs.set(folder, graph.set(here, (graph.get(here) ?? new Set()).add(there)));
      if (!graph.has(there)) graph.set(there, new Set());
    }
  return [...graphs.values()].flatMap((graph) =>
    circlesOf(new Map([...graph].map(([node, next]) => [node, [...next]]))),
  );
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Strongly connected parts of more than one node, after Tarjan. */
export function circlesOf(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const circles: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node) ?? 0);
    stack.push(node);
    open.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.has(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.lastIndexOf(node));
    for (const one of circle) open.delete(one);
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}

/** By the longest way down. Of a circle one arrow is taken away, so that it stands somewhere. */
function floorsOf(graph: Graph): string[][] {
  const heights = new Map<string, number>();
  const heightOf = (room: string, above: readonly string[]): number => {
    const known = heights.get(room);
    if (known !== undefined) return known;
    const below = (graph.get(room) ?? []).filter((one) => !above.includes(one) && one !== room);
    const height = 1 + Math.max(0, ...below.map((one) => heightOf(one, [...above, room])));
    heights.set(room, height);
    return height;
  };
  const rooms = [...graph.keys()].sort();
  const most = Math.max(0, ...rooms.map((room) => heightOf(room, [])));
  return Array.from({ length: most }, (_one, i) => rooms.filter((room) => heightOf(room, []) === i + 1));
}

function fullFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_IN_FOLDER)
    .map(([folder, count]) => `${folder}: ${count}`);
}

function namesDefinedTwice(
  programs: readonly { path: string; defined: readonly string[] }[],
): House["names"] {
  const files = new Map<string, Set<string>>();
  for (const { path, defined } of programs)
    for (const name of defined) {
      if (name.length < MIN_NAME_CHARACTERS) continue;
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  return Object.fromEntries(
    [...files].filter(([, in_]) => in_.size > 1).map(([name, in_]) => [name, [...in_]]),
  );
}

/** Names at the top of a file, types and values. */
function definedBy(program: Node): string[] {
  return listOf(program.body).flatMap((statement) => {
    const node = nodeOf(statement.declaration) ?? statement;
    const own = nodeOf(node.id);
    if (own) return [String(own.name)];
    return listOf(node.declarations).flatMap(({ id }) =>
      nodeOf(id)?.type === "Identifier" ? [String(nodeOf(id)?.name)] : [],
    );
  });
}

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"]);

/** Each with its own lines: of a function that stands in it, one. */
function functionsOf(path: string, text: string, program: Node): LongFunction[] {
  const found: LongFunction[] = [];
  const linesOf = ({ start, end }: Node): number => text.slice(start, end).split("\n").length;
  /** Lines that the functions in a node take, but for one each. */
  const within = (node: Node): number =>
    childrenOf(node)
      .map((child) => {
        if (!FUNCTIONS.has(child.type)) return within(child);
        const inner = within(child);
        const whole = linesOf(child);
        const name = `${path}:${text.slice(0, child.start).split("\n").length}`;
        found.push({ name, lines: whole - inner, whole });
        return whole - 1;
      })
      .reduce((sum, lines) => sum + lines, 0);
  within(program);
  return found;
}
