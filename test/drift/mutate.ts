/** Every field of an exchange's payload, and each way in which an exchange could change it. */

export type Json = unknown;
type Dict = Readonly<Record<string, Json>>;

/** How a field changes: removed, replaced, or other fields and rows beside it. */
export const KINDS = [
  "drop",
  "null",
  "text",
  "list",
  "object",
  "zero",
  "negative",
  "huge",
  "nan",
  "type",
  "word",
  "add",
  "row",
  "double",
  "cut",
] as const;
export type Kind = (typeof KINDS)[number];

/** Names of fields; `*` is every row of a list or a table by id, `$` only its last row. */
export type Path = readonly string[];

export interface Mutation {
  readonly call: string;
  readonly path: Path;
  readonly kind: Kind;
}

export const nameOf = ({ call, path, kind }: Mutation): string => `${call}.${path.join(".")} ${kind}`;

const isObject = (value: Json): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNested = (value: Json): boolean => typeof value === "object" && value !== null;

/** Names of an exchange's ids, assets and pairs, never of its fields. */
const ID = /^[A-Z0-9][A-Z0-9._/-]{2,}$/;

function isTable(value: Json): value is Dict | readonly Json[] {
  if (Array.isArray(value)) return value.length > 0 && value.every(isNested);
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, row]) => ID.test(key) && isNested(row));
}

const SCALAR: readonly Kind[] = [
  "drop",
  "null",
  "text",
  "list",
  "object",
  "zero",
  "negative",
  "huge",
  "nan",
  "type",
  "word",
];
const NESTED: readonly Kind[] = ["drop", "null", "text", "list", "object", "zero", "word"];
const ROWS: readonly Kind[] = ["row", "double", "cut"];

/** Adds to `found` the fields of a payload by path, with the kinds of changes for each. */
export function collect(body: Json, found: Map<string, Set<Kind>>, path: Path = []): void {
  const kinds = found.get(path.join(".")) ?? new Set<Kind>();
  found.set(path.join("."), kinds);
  for (const kind of isNested(body) ? NESTED : SCALAR) kinds.add(kind);
  if (path.length === 0) kinds.delete("drop");
  if (isTable(body)) {
    for (const kind of ROWS) kinds.add(kind);
    kinds.delete("add");
    const rows = Object.values(body);
    const rest = path.includes("$") ? rows.slice(0, 1) : rows;
    for (const row of rest) collect(row, found, [...path, "*"]);
    if (rows.length > 1 && !path.some((key) => key === "*" || key === "$"))
      collect(rows.at(-1), found, [...path, "$"]);
  } else if (isNested(body)) {
    if (isObject(body)) kinds.add("add");
    for (const [key, value] of Object.entries(body as Dict)) collect(value, found, [...path, key]);
  }
}

/** Returns the payload with one change; the same payload if it has no such field. */
export function mutate(body: Json, [key, ...rest]: Path, kind: Kind): Json {
  if (key === undefined) return replaced(body, kind);
  if (!isNested(body)) return body;
  const entries = Object.entries(body as Dict);
  if (key === "*" || key === "$") {
    if (!isTable(body) || (key === "$" && entries.length < 2)) return body;
    const first = key === "*" ? 0 : entries.length - 1;
    const rows = entries.flatMap(([name, row], i): [string, Json][] =>
      i < first
        ? [[name, row]]
        : rest.length === 0 && kind === "drop"
          ? []
          : [[name, mutate(row, rest, kind)]],
    );
    return Array.isArray(body) ? rows.map(([, row]) => row) : Object.fromEntries(rows);
  }
  if (!entries.some(([name]) => name === key)) return body;
  const left = entries.flatMap(([name, value]): [string, Json][] =>
    name !== key
      ? [[name, value]]
      : rest.length === 0 && kind === "drop"
        ? []
        : [[name, mutate(value, rest, kind)]],
  );
  return Array.isArray(body) ? left.map(([, value]) => value) : Object.fromEntries(left);
}

const isNumeric = (value: Json): boolean =>
  typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));

function replaced(value: Json, kind: Kind): Json {
  const isText = typeof value === "string";
  switch (kind) {
    case "drop":
    case "null":
      return null;
    case "text":
      return "";
    case "list":
      return [];
    case "object":
      return {};
    case "zero":
      return isText ? "0" : 0;
    case "negative":
      return isText ? (isNumeric(value) && Number(value) !== 0 ? `-${value.replace("-", "")}` : "-1") : -1;
    case "huge":
      return isText ? `1${"0".repeat(30)}` : 1e30;
    case "nan":
      return "NaN";
    case "type":
      return otherType(value);
    case "word":
      return "something_new";
    case "add":
      if (!isObject(value)) return value;
      return { ...value, something_new: { a: ["1", null] }, code_v2: "E1", fees_v2: [] };
    default:
      return otherRows(value, kind);
  }
}

function otherType(value: Json): Json {
  if (typeof value === "string" && isNumeric(value)) return Number(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : [value];
}

/** A row more that nothing is known of, each row twice, or the last row left out. */
function otherRows(value: Json, kind: Kind): Json {
  if (!isTable(value)) return value;
  const entries = Object.entries(value);
  const last = entries.at(-1)?.[1];
  const strange = Array.isArray(last) ? last.map(() => "something_new") : unknownRow(last);
  if (Array.isArray(value)) {
    if (kind === "row") return [...value, strange];
    return kind === "double" ? value.flatMap((row) => [row, row]) : value.slice(0, -1);
  }
  if (kind === "row") return { ...value, SOMETHING: strange };
  return kind === "double"
    ? { ...value, [`${entries.at(-1)?.[0]}2`]: last }
    : Object.fromEntries(entries.slice(0, -1));
}

const unknownRow = (row: Json): Json =>
  Object.fromEntries(
    Object.entries(row as Dict).map(([key, value]) => [
      key,
      isNested(value) ? null : typeof value === "string" ? "something_new" : -1,
    ]),
  );
