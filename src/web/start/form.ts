/** The typed text of a grid's form, which becomes the API's input. */
export interface Form {
  readonly exchange: string;
  readonly symbol: string;
  readonly lowerPrice: string;
  readonly upperPrice: string;
  readonly gridLevels: string;
  readonly orderSize: string;
  readonly spacingModel: string;
  readonly stopLossPrice: string;
  readonly takeProfitPrice: string;
  readonly stopAtOnce: boolean;
  readonly triggerPrice: string;
  readonly trailingStopPercent: string;
  readonly maxLoss: string;
  readonly endsAt: string;
  readonly onEnd: string;
  /** Furthest prices to which the range follows the market. */
  readonly trailUp: string;
  readonly trailDown: string;
  readonly useOwnBase: boolean;
  readonly initialBuy: boolean;
  readonly dryRun: boolean;
}

/** Empty prices, which are those of one pair. */
export const NO_PRICES = {
  lowerPrice: "",
  upperPrice: "",
  stopLossPrice: "",
  takeProfitPrice: "",
  triggerPrice: "",
  maxLoss: "",
  trailUp: "",
  trailDown: "",
};

export const EMPTY_FORM: Form = {
  ...NO_PRICES,
  exchange: "",
  symbol: "",
  gridLevels: "20",
  orderSize: "",
  spacingModel: "linear",
  trailingStopPercent: "",
  endsAt: "",
  onEnd: "",
  stopAtOnce: false,
  useOwnBase: false,
  initialBuy: false,
  dryRun: false,
};

export type TextName = { [Name in keyof Form]: Form[Name] extends string ? Name : never }[keyof Form];
const TEXTS = Object.keys(EMPTY_FORM).filter(
  (name): name is TextName => typeof EMPTY_FORM[name as keyof Form] === "string",
);

/** Reads a grid from an address; missing fields are empty. */
export const formOf = (query: URLSearchParams): Form => ({
  ...EMPTY_FORM,
  dryRun: query.get("dryRun") === "true",
  ...Object.fromEntries(TEXTS.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : []))),
});

/** Writes a grid to an address, a form or a body; omits what is not part of the form. */
export function queryOf({ trail, ...grid }: Readonly<Partial<Record<TextName | "trail", unknown>>>): string {
  const { up, down } = (trail ?? {}) as { readonly up?: number; readonly down?: number };
  const texts: typeof grid = { trailUp: up, trailDown: down, ...grid };
  return new URLSearchParams(
    TEXTS.flatMap((name) => (texts[name] === undefined ? [] : [[name, String(texts[name])]])),
  ).toString();
}

const NEEDED = ["exchange", "symbol", "lowerPrice", "upperPrice", "gridLevels", "orderSize"] as const;

/** Returns the body of a preview, with the config apart; undefined while a required field is missing. */
export function bodyOf(form: Form) {
  if (NEEDED.some((name) => form[name].trim() === "")) return undefined;
  const filled = <N extends TextName>(names: readonly N[]) =>
    names.filter((name) => form[name].trim() !== "");
  const numbers = filled([
    "stopLossPrice",
    "takeProfitPrice",
    "trailingStopPercent",
    "maxLoss",
    "triggerPrice",
  ]);
  const trail = Object.entries({ up: form.trailUp, down: form.trailDown }).filter(
    ([, text]) => text.trim() !== "",
  );
  return {
    definition: "grid",
    exchange: form.exchange,
    symbol: form.symbol.trim().toUpperCase(),
    config: {
      geometry: "range",
      lowerPrice: Number(form.lowerPrice),
      upperPrice: Number(form.upperPrice),
      gridLevels: Number(form.gridLevels),
      orderSize: Number(form.orderSize),
      spacingModel: form.spacingModel,
      ...Object.fromEntries(numbers.map((name) => [name, Number(form[name])])),
      ...Object.fromEntries(filled(["endsAt", "onEnd"]).map((name) => [name, form[name].trim()])),
      ...(trail.length === 0
        ? {}
        : { trail: Object.fromEntries(trail.map(([name, text]) => [name, Number(text)])) }),
      // Settings that lose money by fees or use existing base need an explicit choice, never a default.
      allowLoss: false,
      useOwnBase: form.useOwnBase,
      initialBuy: form.initialBuy,
      stopAtOnce: form.stopAtOnce,
    },
    ...(form.dryRun ? { dryRun: true } : {}),
  };
}

/** The server's suggestion for a budget, a price range and what happens beyond it. */
export interface GuideAnswered {
  readonly start: {
    readonly config: Readonly<Record<"lowerPrice" | "upperPrice" | "gridLevels" | "orderSize", number>> &
      Readonly<Partial<Record<"stopLossPrice" | "takeProfitPrice", number>>> & {
        readonly trail?: { readonly up: number; readonly down: number };
      };
  };
}

export function guidedForm({ start: { config } }: GuideAnswered): Partial<Form> {
  const { trail, ...start } = config;
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  return {
    lowerPrice: text(start.lowerPrice),
    upperPrice: text(start.upperPrice),
    gridLevels: text(start.gridLevels),
    orderSize: text(start.orderSize),
    stopLossPrice: text(start.stopLossPrice),
    takeProfitPrice: text(start.takeProfitPrice),
    trailUp: text(trail?.up),
    trailDown: text(trail?.down),
  };
}
