/** What type a field of a schema takes, before its transformations. */
import type * as z from "zod";

export type FieldKind = "integer" | "number" | "boolean" | "json" | "string";

type FieldKinds = Readonly<Record<string, FieldKind>>;
const kindsByInput = new WeakMap<z.ZodObject, FieldKinds>();

/** Returns how each field's text is parsed; fields without a text form stay text. Computed once per input. */
export function fieldKinds({ input }: { readonly input: z.ZodObject }): FieldKinds {
  const kinds = kindsByInput.get(input) ?? readKinds(input);
  kindsByInput.set(input, kinds);
  return kinds;
}

const readKinds = ({ shape }: z.ZodObject): FieldKinds =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, fieldKindOf(field as z.core.$ZodTypes)]),
  );

/** Returns a field's type as the documents show it, before transformations. */
function fieldKindOf(field: z.core.$ZodTypes): FieldKind {
  const { def } = field._zod;
  switch (def.type) {
    case "optional":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return fieldKindOf(def.innerType as z.core.$ZodTypes);
    case "pipe":
      return fieldKindOf(def.in as z.core.$ZodTypes);
    case "number":
      return isCounted(field) ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "literal":
    case "enum":
      return kindOfValues([...(field._zod.values ?? [])]);
    case "object":
    case "record":
    case "array":
    case "tuple":
      return "json";
    default:
      return "string";
  }
}

const isCounted = ({ _zod: { def } }: z.core.$ZodTypes): boolean =>
  [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)].some(
    (one) => "format" in one && String(one.format).includes("int"),
  );

function kindOfValues(values: readonly unknown[]): FieldKind {
  const [type, ...others] = new Set(values.map((value) => typeof value));
  return others.length === 0 && (type === "number" || type === "boolean") ? type : "string";
}

/** Returns that a field's value is of another type than the field takes; undefined if that is not why it is refused. */
export function mistypedText(
  input: z.ZodObject,
  name: string,
  { issue, value }: { readonly issue: Pick<z.core.$ZodIssue, "code">; readonly value: unknown },
): string | undefined {
  if (issue.code === "invalid_value" || takesTypes(input.shape[name])) return undefined;
  const mistyped = otherType(fieldKinds({ input })[name], value);
  return mistyped && `${name} ${mistyped}`;
}

const TYPE_OF_KIND = { integer: "number", number: "number", boolean: "boolean", string: "string" } as const;
const TYPE_NAMES = {
  number: "a number",
  boolean: "true or false",
  string: "text",
  object: "an object",
} as const;

/** Returns whether a field accepts values of several types, such as a number or `off`. */
function takesTypes(field: z.core.$ZodTypes | undefined): boolean {
  if (field === undefined) return true;
  const { def } = field._zod;
  const inner = "innerType" in def ? def.innerType : "in" in def ? def.in : undefined;
  return def.type === "union" || (inner !== undefined && takesTypes(inner as z.core.$ZodTypes));
}

/** Returns that a value is of another type than its field; undefined if it is not. */
function otherType(kind: FieldKind | undefined, value: unknown): string | undefined {
  if (kind === undefined || kind === "json" || value === undefined) return undefined;
  const expected = TYPE_OF_KIND[kind];
  const type = typeof value as keyof typeof TYPE_NAMES;
  if (type === expected) return undefined;
  const given = value === null ? "null" : Array.isArray(value) ? "a list" : TYPE_NAMES[type];
  return `must be ${TYPE_NAMES[expected]}, not ${given}`;
}
