import { type Change, changesOf } from "./operators.ts";
import { type Planted, plantedIn } from "./planted.ts";
import {
  declaredName,
  isFunction,
  listOf,
  type Node,
  namesIn,
  nodeOf,
  parse,
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
      : depth === 0 && DECLARES.has(node.type) && makers.has(declaredName(node));

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
