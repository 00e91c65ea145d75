import { listOf, type Node, nodeOf } from "./syntax.ts";

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
const TWINS: Readonly<Record<string, string>> = { some: "every", every: "some", min: "max", max: "min" };
const COMPARED: Readonly<Record<string, string>> = {
  eq: "ne",
  ne: "eq",
  lt: "lte",
  lte: "lt",
  gt: "gte",
  gte: "gt",
};

const called: Operator = (node, textOf) => {
  const callee = nodeOf(node.callee);
  const given = listOf(node.arguments);
  const all = given.map(textOf).join(", ");
  if (callee?.type === "Identifier") {
    const name = String(callee.name);
    const other = COMPARED[name] ?? (given.length === 2 ? TWINS[name] : undefined);
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
  const twin = TWINS[name];
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
