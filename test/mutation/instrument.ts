import {
  isFunction,
  listOf,
  type Node,
  namesIn,
  nodeOf,
  ownStrategyName,
  parse,
  parses,
  partsOf,
  textMakers,
  waits,
} from "./syntax.ts";

/** One change of one file, which a process turns on by its number. */
export interface Mutant {
  /** It stays the same while its file does. */
  readonly id: string;
  /** Its place among all of one build. */
  readonly number: number;
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  /** It is read once, when its file is loaded or a statement is first made: only a new process shows it. */
  readonly isLasting: boolean;
  /** The guard of the store that it takes out. */
  readonly guard?: string | undefined;
}

const SHORT = 160;
const short = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, SHORT);

/** What a call makes once and keeps. */
const KEPT = new Set(["bundle", "eachWay", "lazy"]);

export interface Wanted {
  /** Changes of a file that stand in a list. */
  readonly planted?: readonly Planted[];
  /** Whether the operators change the file, too. */
  readonly hasOperators?: boolean;
}

/** A file whose every change stands beside what it says, and is taken while `__mutant(number)` is true. */
export function instrument(
  file: string,
  text: string,
  mutants: Mutant[],
  { planted = [], hasOperators = true }: Wanted = {},
): string {
  const observed = new Map<string, number>();
  const textOf = ({ start, end }: Node) => text.slice(start, end);
  const program = parse(file, text);
  const makers = textMakers(program, text);
  const named = plantedIn(file, program, text, planted);
  let depth = 0;
  let kept = 0;

  /** The question whether this change is the one. A guard's stands in statements that any file may keep. */
  function ask(node: Node, operator: string, from: string, to: string, guard?: string): string {
    const label = guard ? `${file}: guard "${guard}"` : `${file}: ${short(from)} → ${short(to)}`;
    const nth = (observed.get(label) ?? 0) + 1;
    observed.set(label, nth);
    const id = nth === 1 ? label : `${label} (${nth})`;
    const line = text.slice(0, node.start).split("\n").length;
    const isLasting = depth === 0 || kept > 0 || guard !== undefined;
    const number = mutants.length;
    mutants.push({ id, number, file, line, operator, from: short(from), to: short(to), isLasting, guard });
    return `__mutant(${number})`;
  }

  /** The text of a node, its parts written anew. */
  function inner(
    node: Node,
    parts: readonly Node[] = partsOf(node),
    write: (part: Node) => string = (part) => written(part, node),
  ): string {
    let out = "";
    let at = node.start;
    for (const part of parts) {
      if (part.start < at) continue;
      out += text.slice(at, part.start) + write(part);
      at = part.end;
    }
    return out + text.slice(at, node.end);
  }

  const isMadeOnce = (node: Node): boolean =>
    node.type === "CallExpression"
      ? KEPT.has(String(nodeOf(node.callee)?.name))
      : depth === 0 && DECLARES.has(node.type) && makers.has(ownStrategyName(node));

  function written(node: Node, parent: Node): string {
    const isKept = isMadeOnce(node);
    if (isFunction(node)) depth++;
    if (isKept) kept++;
    const out = statement(node, parent) ?? expression(node, parent);
    if (isFunction(node)) depth--;
    if (isKept) kept--;
    return out;
  }

  function expression(node: Node, parent: Node): string {
    const isTest = TESTED.has(parent.type) && parent.test === node;
    const isInChain = CHAINED.has(parent.type) && (parent.object === node || parent.callee === node);
    const isLeft = !hasOperators || isInChain || !mayChange(node, parent);
    const changes: readonly Change[] = [
      ...(isLeft ? [] : changesOf(node, isTest, textOf)),
      ...(named.get(node) ?? []),
    ];
    const questions = changes.map(
      ({ operator, text: to, guard }) => `${ask(node, operator, textOf(node), to, guard)} ? (${to}) : `,
    );
    const whole = node.type === "BlockStatement" || node.type === "Program" ? block(node) : inner(node);
    return questions.length === 0 ? whole : `(${questions.join("")}(${whole}))`;
  }

  function statement(node: Node, parent: Node): string | undefined {
    const isDropped = node.type === "ExpressionStatement" || node.type === "ThrowStatement";
    if (!hasOperators || !isDropped || parent.type === "Program") return undefined;
    return `{ if (!${ask(node, "statement", textOf(node), "nothing")}) { ${inner(node)} } }`;
  }

  /** Statements one after another; two that wait, neither of which needs the other, also the other way round. */
  function block(node: Node): string {
    const all = listOf(node.body);
    const pairs = new Map<Node, Node>();
    for (const [i, first] of all.entries()) {
      const next = all[i + 1];
      if (hasOperators && next && !pairs.has(all[i - 1] as Node) && areFree(first, next))
        pairs.set(first, next);
    }
    const seconds = new Set(pairs.values());
    return inner(node, all, (part) => {
      if (seconds.has(part)) return "";
      const next = pairs.get(part);
      return next ? exchanged(part, next, node) : written(part, node);
    });
  }

  function exchanged(first: Node, next: Node, parent: Node): string {
    const names = [first, next].flatMap((one) => namesOf(one));
    const let_ = names.length > 0 ? `let ${names.join(", ")};` : "";
    const question = ask(
      first,
      "order",
      `${textOf(first)} ${textOf(next)}`,
      `${textOf(next)} ${textOf(first)}`,
    );
    const [a, b] = [first, next].map((one) => assigned(one, (part) => written(part, parent)));
    const [rawA, rawB] = [first, next].map((one) => assigned(one, textOf));
    return `${let_} if (${question}) { ${rawB} ${rawA} } else { ${a} ${b} }`;
  }

  const namesOf = (node: Node): string[] => {
    const [one] = listOf(node.declarations);
    const id = nodeOf(one?.id);
    return id ? boundIn(id) : [];
  };

  function assigned(node: Node, write: (part: Node) => string): string {
    const [one] = listOf(node.declarations);
    const [id, init] = [nodeOf(one?.id), nodeOf(one?.init)];
    if (!id || !init) return write(node);
    const typed = nodeOf(id.typeAnnotation);
    return `(${text.slice(id.start, typed?.start ?? id.end)} = ${write(init)});`;
  }

  function areFree(first: Node, next: Node): boolean {
    if (![first, next].every((one) => isPlain(one) && waits(one))) return false;
    const needed = new Set(namesIn(next));
    return !namesOf(first).some((name) => needed.has(name));
  }

  const out = block(program);
  return text.slice(0, program.start) + out + text.slice(program.end);
}

const DECLARES = new Set(["VariableDeclarator", "FunctionDeclaration"]);
const TESTED = new Set(["IfStatement", "ConditionalExpression", "WhileStatement"]);
const CHAINED = new Set(["MemberExpression", "CallExpression"]);

/** A literal that is a name, or a type in disguise, is no value of a program. */
const mayChange = (node: Node, parent: Node): boolean =>
  node.type !== "Literal" ||
  !(parent.type.startsWith("Import") || parent.type.startsWith("Export") || parent.key === node);

const isPlain = ({ type, declarations }: Node): boolean =>
  type === "ExpressionStatement" || (type === "VariableDeclaration" && listOf(declarations).length === 1);

/** The names that a pattern binds. */
function boundIn(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [String(pattern.name)];
    case "AssignmentPattern":
      return boundIn(pattern.left as Node);
    case "Property":
      return boundIn(pattern.value as Node);
    case "RestElement":
      return boundIn(pattern.argument as Node);
    default:
      return partsOf(pattern).flatMap(boundIn);
  }
}

/** Another text in the place of an expression. */
export interface Change {
  readonly operator: string;
  readonly text: string;
  /** The guard of the store that it takes out. */
  readonly guard?: string;
}

type TextOf = (node: Node) => string;
type Operator = (node: Node, textOf: TextOf) => readonly Change[];

const OTHER: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
};

const binary: Operator = (node, textOf) => {
  const [left, right] = [nodeOf(node.left), nodeOf(node.right)];
  const sign = String(node.operator);
  const other = OTHER[sign];
  if (!left || !right || other === undefined) return [];
  const operator = sign === "+" || sign === "-" ? "sign" : sign.endsWith("==") ? "equality" : "bound";
  return [{ operator, text: `${textOf(left)} ${other} ${textOf(right)}` }];
};

const logical: Operator = (node, textOf) => {
  const [left, right] = [nodeOf(node.left), nodeOf(node.right)];
  if (!left || !right) return [];
  if (node.operator === "??") return [{ operator: "default", text: textOf(left) }];
  const other = node.operator === "&&" ? "||" : "&&";
  return [
    { operator: "and-or", text: `(${textOf(left)}) ${other} (${textOf(right)})` },
    { operator: "condition", text: textOf(left) },
    { operator: "condition", text: textOf(right) },
  ];
};

const branches: Operator = () => [
  { operator: "branch", text: "true" },
  { operator: "branch", text: "false" },
];

const literal: Operator = ({ value }) =>
  typeof value === "boolean" ? [{ operator: "boolean", text: String(!value) }] : [];

/** Calls that leave things out, or put them in an order: what is left without them. */
const LEFT_OUT = new Set(["filter", "slice", "sort", "toSorted", "reverse", "orderBy", "limit", "where"]);
// Maps, because records have toString, too.
const TWINS = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);
const COMPARED = new Map([
  ["eq", "ne"],
  ["ne", "eq"],
  ["lt", "lte"],
  ["lte", "lt"],
  ["gt", "gte"],
  ["gte", "gt"],
]);

const called: Operator = (node, textOf) => {
  const callee = nodeOf(node.callee);
  const given = listOf(node.arguments);
  const all = given.map(textOf).join(", ");
  if (callee?.type === "Identifier") {
    const name = String(callee.name);
    const other = COMPARED.get(name) ?? (given.length === 2 ? TWINS.get(name) : undefined);
    if (other) return [{ operator: "twin", text: `${other}(${all})` }];
    if ((name !== "and" && name !== "or") || given.length < 2) return [];
    return given.map((_, i) => ({
      operator: "condition",
      text: `${name}(${given
        .filter((__, j) => j !== i)
        .map(textOf)
        .join(", ")})`,
    }));
  }
  const [on, property] = [nodeOf(callee?.object), nodeOf(callee?.property)];
  if (!on || !property || callee?.optional === true) return [];
  const name = String(property.name);
  if (LEFT_OUT.has(name)) return [{ operator: "left out", text: textOf(on) }];
  const twin = TWINS.get(name);
  return twin ? [{ operator: "twin", text: `${textOf(on)}.${twin}(${all})` }] : [];
};

/** A list or a record that is made from another one, without one of the parts that are its own. */
const made =
  (open: string, close: string, parts: "elements" | "properties"): Operator =>
  (node, textOf) => {
    const all = listOf(node[parts]);
    const first = all.findIndex(({ type }) => type === "SpreadElement");
    if (first < 0 || all.length < 2) return [];
    return all.flatMap((part, i) => {
      if (part.type === "SpreadElement" && i === first && parts === "properties") return [];
      const rest = all.filter((_, j) => j !== i).map(textOf);
      return [{ operator: "part", text: `${open}${rest.join(", ")}${close}` }];
    });
  };

/** A condition of a statement of the database: from one `and` to whatever comes after it. */
const CONJUNCT = / and (?!\$\{(?:limit|order))(?:(?! and | or |`|\)| order by| group by| limit ).)+/gs;

const statementText: Operator = (node, textOf) => {
  const tag = nodeOf(node.tag);
  if (tag?.name !== "sql") return [];
  const text = textOf(node);
  return [...text.matchAll(CONJUNCT)].flatMap(({ 0: found, index }) => {
    const rest = text.slice(0, index) + text.slice(index + found.length);
    // An expression that was cut in two is none.
    const isWhole =
      found.split("${").length === found.split("}").length && !/between \S+$/.test(text.slice(0, index));
    return isWhole && rest.endsWith("`") ? [{ operator: "sql", text: rest }] : [];
  });
};

const OPERATORS: Readonly<Record<string, Operator>> = {
  BinaryExpression: binary,
  LogicalExpression: logical,
  Literal: literal,
  CallExpression: called,
  ArrayExpression: made("[", "]", "elements"),
  ObjectExpression: made("({ ", " })", "properties"),
  TaggedTemplateExpression: statementText,
};

/** Every other text of an expression; `isTest` where it decides which way to go. */
export function changesOf(node: Node, isTest: boolean, textOf: TextOf): readonly Change[] {
  const own = OPERATORS[node.type]?.(node, textOf) ?? [];
  return isTest ? [...own, ...branches(node, textOf)] : own;
}

/** A text that stands once in a file, and what takes its place. */
export interface Planted {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Expressions that another one can take the place of. */
const REPLACEABLE = new Set([
  "ArrayExpression",
  "CallExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "ObjectExpression",
  "TaggedTemplateExpression",
]);

/** Finds for each text the smallest expression around it, as it is with the other text. */
export function plantedIn(
  file: string,
  program: Node,
  text: string,
  planted: readonly Planted[],
): ReadonlyMap<Node, readonly Change[]> {
  const found = new Map<Node, Change[]>();
  for (const { name, from, to } of planted) {
    const at = text.indexOf(from);
    if (at < 0 || text.includes(from, at + 1))
      throw new Error(`"${name}": its text stands not once in ${file}`);
    const [start, end] = differing(from, to);
    const changed = { start: at + start, end: at + from.length - end };
    const insert = to.slice(start, to.length - end);
    const textIn = (node: Node) =>
      text.slice(node.start, changed.start) + insert + text.slice(changed.end, node.end);
    const node = around(program, changed)
      .filter(({ type }) => REPLACEABLE.has(type))
      .findLast((one) => parses(file, `(${textIn(one)})`));
    if (!node) throw new Error(`"${name}": no expression of ${file} can hold it`);
    found.set(node, [...(found.get(node) ?? []), { operator: "guard", text: textIn(node), guard: name }]);
  }
  return found;
}

/** Returns how many characters both texts begin and end with. */
function differing(from: string, to: string): readonly [start: number, end: number] {
  const most = Math.min(from.length, to.length);
  let [start, end] = [0, 0];
  while (start < most && from[start] === to[start]) start++;
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  return [start, end];
}

/** Returns all nodes that hold a place, the smallest last. */
function around(node: Node, place: { readonly start: number; readonly end: number }): Node[] {
  const inner = partsOf(node).find(({ start, end }) => start <= place.start && place.end <= end);
  return [node, ...(inner ? around(inner, place) : [])];
}
