/** Requests made from the OpenAPI document: right, nearly right, and wrong in value, in name and in form. */
import fc from "fast-check";

type Json = unknown;

interface Schema {
  readonly type?: string;
  readonly enum?: readonly Json[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: Json;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface Request {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A URL of the service and a body of it may have so many characters. */
const MOST_URL = 2000;
const MOST_BODY = 64 * 1024;

const HOSTILE: readonly Json[] = [
  null,
  "",
  " ",
  "null",
  "NaN",
  "Infinity",
  "1e309",
  "0x10",
  "１２",
  "1,5",
  "-0",
  0,
  -0,
  -1,
  0.1 + 0.2,
  1e-18,
  1e-19,
  5e-324,
  1e12,
  1e15,
  1e21,
  1e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 53 + 2,
  true,
  false,
  [],
  {},
  [[]],
  { constructor: 1 },
  "constructor",
  "__proto__",
  "../../etc/passwd",
  "%00",
  "\u0000",
  "\u202e\u2066x",
  "\ud800",
  "' or 1=1 --",
  "{{7*7}}",
  "<script>",
  "BTC/USDT",
  "btc/usdt",
  "USDT/BTC",
  "A/".repeat(50),
];

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "then", "toJSON", "length", "", "0"];

/** Long ones are for bodies: many digits, many items, much text, much depth. */
const long: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: 100, max: 60_000 }).map((length) => "9".repeat(length)),
  fc.integer({ min: 100, max: 60_000 }).map((length) => `${"a".repeat(length)}!`),
  fc.integer({ min: 100, max: 12_000 }).map((length) => "A=1,".repeat(length)),
  fc.integer({ min: 100, max: 30_000 }).map((length) => Array.from({ length }, () => 1)),
  fc.integer({ min: 100, max: 9000 }).map((length) => Array.from({ length }, (_, i) => i + 0.000001)),
  fc.integer({ min: 3, max: 4000 }).map((depth) => nested(depth)),
  fc
    .integer({ min: 10, max: 4000 })
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))),
);

function nested(depth: number): Json {
  let value: Json = 1;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

const hostile: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** What a field of this form takes, by its schema and, where that says little, by its name. */
function right(name: string, schema: Schema): fc.Arbitrary<Json> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (/symbol/i.test(name)) return fc.constantFrom("BTC/USDT", "ETH/USDT", "ADA/USDT", "SNEK/USDT");
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "integer") {
    const { minimum = 0, maximum = 100 } = schema;
    return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1_000_000) });
  }
  if (schema.type === "number") {
    if (/lower/i.test(name)) return fc.constantFrom(55_000, 1, 0.00001, 57_000.1234567);
    if (/upper/i.test(name)) return fc.constantFrom(65_000, 6e7, 0.1, 63_000.5);
    return fc.oneof(fc.constantFrom(1, 0.5, 50, 0.001, 58_000), fc.double({ min: 1e-9, max: 1e6 }));
  }
  if (schema.type === "array") return fc.array(right(name, schema.items ?? {}), { maxLength: 12 });
  if (schema.type === "object") return recordOf(schema.properties ?? {}, 0.2);
  return fc.oneof(
    fc.constantFrom("x", "kraken", "grid-kraken-BTC-USDT-1", "1"),
    fc.string({ maxLength: 30 }),
  );
}

const misnamed = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name.toUpperCase(),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    `${name} `,
    `${name}[]`,
    `${name}.x`,
    name.slice(1),
    ...NAMES,
  );

/** Fields, each sometimes left out, of a wrong value, or under a wrong name. */
function recordOf(fields: Readonly<Record<string, Schema>>, wrong: number): fc.Arbitrary<Json> {
  const entries = Object.entries(fields).map(([name, schema]) =>
    fc
      .record({
        chance: fc.double({ min: 0, max: 1, noNaN: true }),
        good: right(name, schema),
        bad: hostile,
        other: misnamed(name),
      })
      .map(({ chance, good, bad, other }): readonly (readonly [string, Json])[] => {
        if (chance < wrong / 3) return [];
        if (chance < (2 * wrong) / 3) return [[name, bad]];
        if (chance < wrong) return [[other, good]];
        return [[name, good]];
      }),
  );
  return fc.tuple(...entries).map((parts) => Object.fromEntries(parts.flat()));
}

const wrongs = fc.constantFrom(0, 0, 0.1, 0.5, 1);

function bodyOf(schema: Schema): fc.Arbitrary<string> {
  const record = wrongs.chain((wrong) => recordOf(schema.properties ?? {}, wrong));
  const names = [...Object.keys(schema.properties ?? {}), "x"];
  const text = record.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 12, arbitrary: text },
    {
      weight: 3,
      arbitrary: fc
        .tuple(record, fc.constantFrom(...names), long)
        .map(([value, name, large]) => JSON.stringify({ ...(value as object), [name]: large })),
    },
    // Digits that no number of the language holds, and a body cut off.
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.integer({ min: 2, max: 50_000 }))
        .map(([output, digits]) => output.replace(/:\d+/, `:1${"0".repeat(digits)}.5`)),
    },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat(200)).map(([output, at]) => output.slice(0, at)) },
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat(200)).map(([output, at]) => `${output}${output.slice(at)}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 60_000 }).map((depth) => "[".repeat(depth)) },
  );
}

const asText = (value: Json): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const fields = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const record = wrongs.chain((wrong) => recordOf(fields, wrong));
  const more = fc.array(fc.tuple(fc.constantFrom(...NAMES, ...Object.keys(fields)), hostile), {
    maxLength: 2,
  });
  return fc.tuple(record, fc.option(more, { nil: [], freq: 4 })).map(([value, extra]) =>
    [...Object.entries(value as object), ...extra]
      .map(([name, result]) => `${encode(name)}=${encode(asText(result))}`)
      .join("&")
      .slice(0, MOST_URL - 200),
  );
}

// Half of a pair is no text that a URL can carry.
const encode = (text: string): string => encodeURIComponent(text.replace(/[\ud800-\udfff]/g, ""));

const HEADERS: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 20, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ "idempotency-key": "k" }) },
  { weight: 1, arbitrary: fc.constant({ "idempotency-key": "x".repeat(300) }) },
  { weight: 1, arbitrary: fc.constant({ "x-exchange-key": "k" }) },
  { weight: 1, arbitrary: fc.constant({ "x-exchange-key": "k", "x-exchange-secret": "s" }) },
  { weight: 1, arbitrary: fc.constant({ "content-type": "text/plain" }) },
  { weight: 1, arbitrary: fc.constant({ accept: "text/csv" }) },
);

/** Requests to every operation of the document. */
export function requestsOf(document: Document) {
  const arbitraries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => requestOf(path, method.toUpperCase(), described)),
  );
  return fc.oneof(...arbitraries);
}

function requestOf(path: string, method: string, described: Described): fc.Arbitrary<Request> {
  const parameters = described.parameters ?? [];
  const places = parameters.filter((one) => one.in === "path");
  const schema = described.requestBody?.content["application/json"].schema;
  return fc
    .record({
      parts: fc.tuple(
        ...places.map(({ name, schema: form }) => fc.oneof(right(name, form), right(name, form), hostile)),
      ),
      query: queryOf(parameters.filter((one) => one.in === "query")),
      body: schema ? fc.option(bodyOf(schema), { nil: undefined, freq: 30 }) : fc.constant(undefined),
      headers: HEADERS,
    })
    .map(({ parts, query, body, headers }) => {
      const filled = places.reduce(
        (whole, { name }, place) =>
          whole.replace(`{${name}}`, encode(asText(parts[place])).slice(0, 300) || "x"),
        path,
      );
      return {
        operation: `${method} ${path}`,
        method,
        path: `/api/v1${filled}${query === "" ? "" : `?${query}`}`,
        headers,
        body: body?.slice(0, MOST_BODY),
      };
    });
}
