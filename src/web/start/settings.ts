/** The settings of a start: from a definition's schema and the page's words to typed texts, and from these to a request. */
import { isPair } from "../../kernel/pair.ts";
import { pairOf } from "../format.ts";
import { fieldLabel, pageText } from "../page-text.ts";
import type { StartDefinition } from "../types.ts";

export type FormStep = "shape" | "safety" | "advanced";

/** What a number counts. A price belongs to its pair and an amount to its asset, so 500 USDT never become 500 BTC. */
type SettingUnit = "price" | "quote" | "base" | "percent" | "share" | "seconds";

/** Typed units for each unit of the API: 0.02 is typed as 2 %, and 2000 ms as 2 seconds. */
const FACTORS: Readonly<Partial<Record<SettingUnit, number>>> = { share: 100, seconds: 0.001 };

/** Step, unit, hint and label of a field; by default, the label of messages. */
type SettingWords = readonly [
  step: FormStep,
  unit?: SettingUnit | undefined,
  hint?: string | undefined,
  label?: string,
];

/** Fields with which every strategy starts or ends by itself. */
const ENDING_WORDS: Readonly<Record<string, SettingWords>> = {
  stopLossPrice: ["safety", "price", "Stops and sells at or below"],
  takeProfitPrice: ["safety", "price", "Stops and sells at or above"],
  trailingStopPercent: ["advanced", "percent", "Stops and sells this far below the highest price"],
  stopAtOnce: ["advanced", undefined, ""],
  maxLoss: ["safety", "quote", "Beyond it, nothing is placed until you resume"],
  triggerPrice: ["advanced", "price", "Waits until the market reaches this price"],
  endsAt: ["advanced", undefined, ""],
  onEnd: ["advanced", undefined, ""],
};

const BASE_WORDS = ["Cost of the base, as a share of the capital", "Base at most"] as const;

/** Words by field, or by form and field. Other fields are advanced, and have their description as hint. */
const SETTING_WORDS: Readonly<Record<string, SettingWords>> = {
  lowerPrice: ["shape", "price"],
  upperPrice: ["shape", "price"],
  gridLevels: ["shape"],
  orderSize: ["shape", "quote"],
  "trail.up": ["shape", "price", "The range moves with the price, up to here"],
  "trail.down": ["shape", "price", "The range moves with the price, down to here"],
  initialBuy: [
    "shape",
    undefined,
    "Buy base now for the levels above the price, so that they can sell at once?",
  ],
  useOwnBase: ["shape"],
  "centered.levels": ["shape", undefined, undefined, "Levels on each side"],
  spacing: ["shape", "share", "Of the center price"],
  "centered.size": ["shape", "quote", undefined, "Per order"],
  deviation: [
    "shape",
    "share",
    "Centers itself again when the price is so far beyond the outermost level",
    "Move after",
  ],
  spreadPercent: ["shape", "percent"],
  depth: ["shape", "quote", undefined, "Depth per side"],
  withinPercent: ["shape", "percent", "Distance of the outermost order from the price"],
  "quote.levels": ["shape", undefined, undefined, "Orders per side"],
  fixedPrice: ["shape", "price", "Used beside the market prices"],
  quoteBudget: ["safety", "quote", "Empty: all that is free"],
  baseBudget: ["safety", "base", "Empty: all that is free"],
  ...ENDING_WORDS,
  maxPosition: ["advanced", "share", ...BASE_WORDS],
  "centered.maxPosition": ["safety", "share", ...BASE_WORDS],
  safetyReserve: ["advanced", "share", "Share of the capital that buys do not use", "Reserve"],
  maxBase: ["safety", "base", "Above it, no bids"],
  minBase: ["advanced", "base", "Below it, no asks"],
  defend: ["advanced", undefined, "If most fills of a side lose money within 10 seconds"],
  gridSpacing: ["advanced", "price"],
  "quote.size": ["advanced", "quote", "Instead of a depth", "Per order"],
  gapPercent: ["advanced", "percent"],
  skewPercent: ["advanced", "percent"],
  collarPercent: ["advanced", "percent"],
  tolerancePercent: ["advanced", "percent"],
  target: ["advanced", "share"],
  confidence: ["advanced", "share"],
  volatilityLow: ["advanced", "share"],
  volatilityHigh: ["advanced", "share"],
  customSpacings: ["advanced", "share"],
  reinvest: ["shape", "share", "Share of the realized profit by which the next buys grow"],
  budget: ["shape", "quote", "Of all orders, instead of an order size"],
  debounce: ["advanced", "seconds", "Minimum time between two moves"],
  maxAge: ["advanced", "seconds", "Maximum age of a price"],
};

/** Names of the values that are chosen, by value. */
const CHOICE_NAMES: Readonly<Record<string, string>> = {
  linear: "Equal differences",
  geometric: "Equal ratios",
  custom: "Custom",
  flat: "Equal",
  pyramidal: "Larger near the price",
  keep: "Is kept",
  sell: "Is sold",
  edge: "Outermost level",
  center: "Center price",
};

interface FormWords {
  readonly title: string;
  /** What a start starts. */
  readonly noun: string;
  /** Texts with which a new start begins. Selling own base and losing by fees need an explicit choice. */
  readonly first: TypedTexts;
  /** Settings of which one is required. */
  readonly either?: readonly string[];
}

const CAUTIOUS_TEXTS = { allowLoss: "false", useOwnBase: "false" };

const FORMS: Readonly<Record<string, FormWords>> = {
  grid: { title: "Grid", noun: "a grid", first: { gridLevels: "20", ...CAUTIOUS_TEXTS } },
  centered: {
    title: "Centered grid",
    noun: "a centered grid",
    first: {
      levels: "5",
      spacing: "2",
      "size USDT": "50",
      deviation: "1.5",
      maxPosition: "80",
      ...CAUTIOUS_TEXTS,
    },
    // The server assumes 50 of any asset.
    either: ["size"],
  },
  quote: {
    title: "Quotes",
    noun: "quotes",
    first: { spreadPercent: "2", withinPercent: "1.7", levels: "3" },
    either: ["depth", "size"],
  },
};

/** Typed texts by `textKey`; those of exchange, symbol and paper trading by their names. */
export type TypedTexts = Readonly<Record<string, string>>;

export interface Setting {
  /** Names of the objects around it, and its own. */
  readonly path: readonly string[];
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly step: FormStep;
  readonly unit?: SettingUnit | undefined;
  /** `rows` are lists, assets with amounts, or objects; `json` is anything else. */
  readonly kind: "number" | "text" | "check" | "choice" | "time" | "defend" | "rows" | "json";
  readonly choices: readonly (readonly [string, string])[];
  readonly isRequired: boolean;
  /** What the server assumes without it. */
  readonly initial: string;
  /** Whether it belongs to the start and not to the definition's config. */
  readonly isOption?: boolean;
  /** Fields of each row. A record has the name and the value of its entries. */
  readonly columns?: readonly Setting[];
  readonly rowKind?: "list" | "record" | "objects";
}

interface PropertyForm {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly items?: PropertyForm;
  readonly additionalProperties?: PropertyForm | boolean;
  readonly properties?: Readonly<Record<string, PropertyForm>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly PropertyForm[];
}

/** What a start can be: a definition, or one of its forms. */
export interface StartForm extends FormWords {
  readonly key: string;
  readonly definition: string;
  readonly summary: string | null;
  /** Field of a definition with several forms that says which one it is. */
  readonly geometry: string | undefined;
  readonly settings: readonly Setting[];
}

/** Returns the forms of all definitions. */
export const startForms = (definitions: readonly StartDefinition[]): readonly StartForm[] =>
  definitions.flatMap(({ name, summary, builtIn, config }) => {
    const { anyOf, ...whole } = config as PropertyForm;
    return (anyOf ?? [whole]).map((schema) => {
      const geometry = anyOf && String(schema.properties?.geometry?.default);
      const key = geometry === "centered" ? geometry : name;
      const form = (builtIn && FORMS[key]) || { title: name, noun: name, first: {} };
      const settings = settingsIn(schema, builtIn ? key : undefined).filter(
        (one) => geometry === undefined || one.name !== "geometry",
      );
      const options = name === "grid" ? [] : BUDGETS;
      return { ...form, key, definition: name, summary, geometry, settings: [...options, ...settings] };
    });
  });

/** Returns the settings of an object; without a form, those of a user's own definition. */
function settingsIn(
  { properties = {}, required = [] }: PropertyForm,
  form: string | undefined,
  path: readonly string[] = [],
): readonly Setting[] {
  return Object.entries(properties).flatMap(([own, schema]) =>
    schema.properties
      ? settingsIn({ properties: schema.properties }, form, [...path, own])
      : [settingOf([...path, own], schema, form, required.includes(own))],
  );
}

function settingOf(
  path: readonly string[],
  schema: PropertyForm,
  form: string | undefined,
  isRequired: boolean,
): Setting {
  const name = path.join(".");
  const { description = "", default: given, enum: choices = [] } = schema;
  const isKnown = form !== undefined || ENDING_WORDS[name] !== undefined;
  const words = isKnown ? (SETTING_WORDS[`${form}.${name}`] ?? SETTING_WORDS[name]) : undefined;
  const [step = form === undefined ? "shape" : "advanced", unit, hint, label] = words ?? [];
  // Some defaults stand only in the description.
  const is = formOfSchema(schema, form, name);
  const initial =
    given === undefined ? /default (\w+)$/.exec(description)?.[1] : typedText({ ...is, unit }, given);
  const described = form === undefined ? "" : pageText(description).replaceAll("`", "");
  return {
    ...is,
    path,
    name,
    label: `${label ?? (isKnown ? fieldLabel(name) : description || name)}${countRange(schema)}`,
    hint: hint ?? (isKnown ? (step === "advanced" ? described : "") : initial ? `Default ${initial}` : ""),
    step,
    unit,
    choices: choices.map((one) => [String(one), (isKnown && CHOICE_NAMES[String(one)]) || String(one)]),
    isRequired,
    initial: initial ?? "",
  };
}

const countRange = ({ type, minimum, maximum = Number.POSITIVE_INFINITY }: PropertyForm): string =>
  type === "integer" && minimum !== undefined && maximum <= 100 ? `, ${minimum} to ${maximum}` : "";

function formOfSchema(
  { type, enum: choices, items, additionalProperties }: PropertyForm,
  form: string | undefined,
  name: string,
): Pick<Setting, "kind" | "columns" | "rowKind"> {
  if (name === "endsAt") return { kind: "time" };
  if (name === "defend" && form !== undefined) return { kind: "defend" };
  if (choices) return { kind: "choice" };
  if (type === "boolean") return { kind: "check" };
  if (type === "number" || type === "integer") return { kind: "number" };
  if (type === "string") return { kind: "text" };
  const column = (of: PropertyForm, label: string): Setting => ({
    ...settingOf([label], { ...of, description: label }, undefined, true),
    unit: SETTING_WORDS[name]?.[1],
  });
  const columns = items?.properties
    ? settingsIn(items, undefined)
    : items
      ? [column(items, "Value")]
      : typeof additionalProperties === "object"
        ? [column({ type: "string" }, "Name"), column(additionalProperties, "Value")]
        : [];
  if (columns.length === 0 || columns.some(({ kind }) => kind === "rows" || kind === "json"))
    return { kind: "json" };
  return { kind: "rows", columns, rowKind: items?.properties ? "objects" : items ? "list" : "record" };
}

/** Returns a setting that is no part of a definition's config. */
export const option = (name: string): Setting => ({
  ...settingOf([name], { type: "number" }, "", false),
  isOption: true,
});
const BUDGETS = ["quoteBudget", "baseBudget"].map(option);

/** Returns a form that requires its budgets, as a start does beside strategies of the same assets. */
export const withBudgets = (form: StartForm): StartForm => ({
  ...form,
  settings: form.settings.map((one) =>
    one.isOption
      ? { ...one, isRequired: true, hint: "Required, because another strategy trades in one of the assets" }
      : one,
  ),
});

/** Returns the label with the unit of a pair. */
export function settingLabel({ label, unit }: Setting, symbol: string): string {
  const { base, quote } = pairOf(symbol);
  const units = { price: quote, quote, base, percent: "%", share: "%", seconds: "seconds" };
  const of = unit ? units[unit] : "";
  return of === "" ? label : `${label}, ${of}`;
}

/** Returns the key of a setting's text. */
export function textKey({ name, unit }: Pick<Setting, "name" | "unit">, symbol: string): string {
  const { base, quote } = pairOf(symbol);
  const of = { price: symbol, quote, base, percent: "", share: "", seconds: "" }[unit ?? "percent"];
  return of === "" ? name : `${name} ${of}`;
}

const jsonText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Converts a number to other units with as many digits as are exact, so that 1.8 % is 0.018 and not a float's neighbor. */
const scaled = (value: number, factor: number): number => Number((value * factor).toPrecision(12));

/** Returns a value of the API as it is typed. */
export function typedText(
  { kind, columns = [], rowKind, unit }: Pick<Setting, "kind" | "columns" | "rowKind" | "unit">,
  value: unknown,
): string {
  if (value === undefined || value === null) return "";
  if (kind === "time") return typedTime(value as number | string);
  if (kind === "number" && unit && FACTORS[unit]) return String(scaled(Number(value), FACTORS[unit]));
  if (kind !== "rows") return jsonText(value);
  const given = typeof value === "string" ? jsonOrText(value) : value;
  // An address can carry anything.
  if (given === null || typeof given !== "object" || Array.isArray(given) === (rowKind === "record"))
    return "";
  const all: readonly unknown[] = rowKind === "record" ? Object.entries(given) : (given as unknown[]);
  const rows = all.map((row) => {
    if (rowKind === "list") return [row];
    return rowKind === "record"
      ? (row as unknown[])
      : columns.map(({ name }) => (row as AgainRequest | null)?.[name]);
  });
  return JSON.stringify(rows.map((row) => columns.map((column, at) => typedText(column, row[at]))));
}

/** Returns a time as text; without a meaning, none. */
function typedTime(value: number | string): string {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

/** Reads JSON. Other text stays text, and the server reports it. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads the rows of a text. */
export const rowsIn = (text: string): readonly (readonly string[])[] => (text === "" ? [] : JSON.parse(text));

/** Returns a typed text as the value of a request. */
export function settingValue({ kind, unit, columns = [], rowKind }: Setting, text: string): unknown {
  if (kind === "number")
    return unit && FACTORS[unit] ? scaled(Number(text), 1 / FACTORS[unit]) : Number(text);
  if (kind === "check") return text === "true";
  if (kind === "rows") {
    const rows = rowsIn(text).map((row) =>
      columns.map((column, at) => [column.name, settingValue(column, row[at] ?? "")] as const),
    );
    if (rowKind === "list") return rows.map(([first]) => first?.[1]);
    return rowKind === "record"
      ? Object.fromEntries(rows.map(([name, value]) => [name?.[1], value?.[1]]))
      : rows.map((row) => Object.fromEntries(row));
  }
  return kind === "json" ? jsonOrText(text) : text;
}

/** A request of a start, such as `startAgain` of a strategy. */
export type AgainRequest = Readonly<Record<string, unknown>>;

const requestConfig = ({ config }: AgainRequest) => (config ?? {}) as AgainRequest;

export const settingAt = (config: AgainRequest, path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as AgainRequest | undefined)?.[name], config);

/** Returns the value of a setting in a request, whose options stand beside its config. */
const givenValue = ({ isOption, name, path }: Setting, request: AgainRequest): unknown =>
  isOption ? request[name] : settingAt(requestConfig(request), path);

/** What a request has beside its config and its options. */
export const PLACE = ["exchange", "symbol", "dryRun"];

export const isFormOf =
  (request: AgainRequest) =>
  ({ definition, geometry }: StartForm): boolean =>
    definition === request.definition &&
    (geometry === undefined || geometry === (requestConfig(request).geometry ?? "range"));

/** Returns the texts of a request. */
export function textsOf({ settings }: StartForm, request: AgainRequest): TypedTexts {
  const symbol = jsonText(request.symbol);
  const given = settings.flatMap((setting) => {
    const value = givenValue(setting, request);
    return value === undefined ? [] : [[textKey(setting, symbol), typedText(setting, value)] as const];
  });
  const place = PLACE.flatMap((name) =>
    request[name] === undefined ? [] : [[name, jsonText(request[name])] as const],
  );
  return Object.fromEntries([...place, ...given]);
}

/** Returns the texts of a request, also those of the settings that it does not have. */
export const wholeTexts = (form: StartForm, request: AgainRequest): TypedTexts => ({
  ...Object.fromEntries(form.settings.map((one) => [textKey(one, jsonText(request.symbol)), ""])),
  ...textsOf(form, request),
});

/**
 * Returns the texts with which a start opens: those of a request with a config instead of the form's own, which would mix
 * two strategies.
 */
export function openedTexts(form: StartForm, request: AgainRequest, isAgain: boolean): TypedTexts {
  const isWhole = Object.keys(requestConfig(request)).length > 0;
  const first = isAgain ? {} : isWhole ? cautiousTexts(form) : form.first;
  return { ...first, ...textsOf(form, request) };
}

const cautiousTexts = ({ first }: StartForm): TypedTexts =>
  Object.fromEntries(Object.entries(first).filter(([name]) => name in CAUTIOUS_TEXTS));

/** Returns what is free as a budget, rounded down to a number that can be read; none while it is unknown. */
export function freeAsBudget(free: number | undefined): string {
  if (free === undefined || free <= 0) return "";
  const scale = 10 ** (free >= 100 ? 0 : 3 - Math.floor(Math.log10(free)));
  return String(Math.floor(scaled(free, scale)) / scale);
}

/** Returns the request that an address carries: its config by names such as `trail.up`. */
export function requestIn(query: URLSearchParams): AgainRequest {
  const given = [...query].filter(([, value]) => value !== "");
  const beside = [...PLACE, ...BUDGETS.map(({ name }) => name)];
  const isBeside = ([name]: readonly [string, string]) => beside.includes(name);
  return {
    ...Object.fromEntries(given.filter(isBeside)),
    config: nested(given.filter((one) => !isBeside(one)).map(([name, value]) => [name.split("."), value])),
  };
}

/** Writes a request to an address, by the names of its settings. */
export function startAddress({ settings }: StartForm, request: AgainRequest): string {
  const values = [
    ...PLACE.map((name) => [name, request[name]] as const),
    ...settings.map((setting) => [setting.name, givenValue(setting, request)] as const),
  ];
  return new URLSearchParams(
    values.flatMap(([name, value]) => (value === undefined ? [] : [[name, jsonText(value)]])),
  ).toString();
}

/** Returns the object of these values. */
export function nested(
  values: readonly (readonly [path: readonly string[], value: unknown])[],
  all: Record<string, unknown> = {},
): AgainRequest {
  for (const [[whole = "", ...rest], value] of values)
    all[whole] = rest.length === 0 ? value : nested([[rest, value]], { ...(all[whole] as object) });
  return all;
}

/** Returns the body of a preview, or the labels of what it still needs. */
export function startBody(
  { definition, geometry, settings, either = [] }: StartForm,
  texts: TypedTexts,
): { readonly body?: AgainRequest; readonly missing: readonly string[] } {
  const { exchange = "", symbol = "" } = texts;
  const settingText = (setting: Setting) => (texts[textKey(setting, symbol)] ?? "").trim();
  const isWrong = (setting: Setting) =>
    setting.kind === "number" && !Number.isFinite(Number(settingText(setting)));
  const alternatives = settings.filter(({ name }) => either.includes(name));
  const first = alternatives.every((one) => settingText(one) === "")
    ? alternatives.find(({ name }) => name === either[0])
    : undefined;
  const lacking = settings.filter(
    (one) =>
      one === first || isWrong(one) || (one.isRequired && one.kind !== "check" && settingText(one) === ""),
  );
  const missing = [
    ...(exchange === "" ? ["Exchange"] : []),
    ...(isPair(symbol) ? [] : ["Pair"]),
    ...lacking.map((one) => settingLabel(one, symbol)),
  ];
  if (missing.length > 0) return { missing };
  const values = settings.flatMap((setting) => {
    const { path, kind, isRequired, isOption = false } = setting;
    const text = settingText(setting) || (kind === "check" && isRequired ? "false" : "");
    return text === "" ? [] : [{ isOption, value: [path, settingValue(setting, text)] as const }];
  });
  const valuesOf = (options: boolean) =>
    nested(values.flatMap(({ isOption, value }) => (isOption === options ? [value] : [])));
  const config = { ...(geometry === undefined ? {} : { geometry }), ...valuesOf(false) };
  const dryRun = texts.dryRun === "true" ? { dryRun: true } : {};
  return { body: { definition, exchange, symbol, ...valuesOf(true), ...dryRun, config }, missing };
}
