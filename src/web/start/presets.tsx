import { useState } from "hono/jsx/dom";
import { pluralize } from "../../kernel/plain-text.ts";
import { useEffect } from "../effect.ts";
import { number, pairOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { NumberInput } from "../plan-area.tsx";
import { Choice, Field } from "../ui.tsx";
import { freeShare, type StartState } from "./fields.tsx";
import { type TypedTexts, textsOf } from "./settings.ts";

type PresetsProps = StartState & {
  /** Closes of the last week. */
  readonly closes: readonly number[];
};

interface ShapePreset {
  readonly name: string;
  readonly texts: TypedTexts;
  readonly says: string;
  readonly levels: readonly number[];
}

/** A choice that fills in a shape, with a picture of its levels on the prices of the last week. */
function PresetButton({
  preset: { name, texts: chosen, says, levels },
  texts,
  change,
  closes,
}: PresetsProps & { preset: ShapePreset }) {
  const values = Object.entries(chosen);
  const isChosen = values.length > 0 && values.every(([key, text]) => (texts[key] ?? "") === text);
  const all = [...closes, ...levels];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const y = (price: number) => (38 - (36 * (price - low)) / Math.max(1e-9, high - low)).toFixed(1);
  const step = 100 / Math.max(1, closes.length - 1);
  return (
    <button
      type="button"
      class="preset"
      aria-pressed={isChosen ? "true" : "false"}
      disabled={values.length === 0}
      onClick={() => change(chosen)}
    >
      <b>{name}</b>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
        {levels.map((level) => (
          <line key={level} x1="0" x2="100" y1={y(level)} y2={y(level)} />
        ))}
        <polyline points={closes.map((close, at) => `${(at * step).toFixed(1)},${y(close)}`).join(" ")} />
      </svg>
      <small>{says || "\u00a0"}</small>
    </button>
  );
}

/** Returns prices in equal distances. */
const evenPrices = (lower: number, upper: number, count: number): readonly number[] =>
  Array.from({ length: count + 1 }, (_, at) => lower + ((upper - lower) * at) / count);

const RANGE_PRESETS = [
  ["narrow", "Narrow", "Last day"],
  ["usual", "Usual", "Last week"],
  ["wide", "Wide", "Last month"],
] as const;

const BEYOND = [
  ["wait", "Wait until it returns"],
  ["follow", "Follow it by half the range"],
  ["stop", "Stop a little beyond, and sell the base"],
] as const;

/** The server's suggestion for a budget, a price range and what happens beyond it. */
interface Guide {
  readonly start: { readonly config: Readonly<Record<string, unknown>> };
}

/** Choices that fill in the shape of a form. */
export const ShapePresets = (props: PresetsProps) =>
  props.form.key === "grid" ? <GridPresets {...props} /> : <Presets key={props.form.key} {...props} />;

/** Grids for a budget, on the prices of the last day, week or month. */
function GridPresets(props: PresetsProps) {
  const { market, holdings, texts, budget, setBudget, isPaper } = props;
  const { quote } = pairOf(texts.symbol ?? "");
  const [onLeave, setOnLeave] = useState("wait");
  const dryRun = isPaper ? { dryRun: true } : {};
  const request = useSettled(
    market && Number(budget) > 0 ? { ...market, budget: Number(budget), onLeave, ...dryRun } : undefined,
  );
  return (
    <>
      <div class="fields">
        <Field
          label={`Budget, ${quote}`}
          // An empty line until the amount arrives, so that no button moves under the pointer.
          hint={(isPaper ? undefined : freeShare(Number(budget), holdings.free(quote), quote)) ?? "\u00a0"}
        >
          <NumberInput value={budget} change={setBudget} />
        </Field>
        <Field label="If the price leaves the range" wide>
          <Choice value={onLeave} choices={BEYOND} choose={setOnLeave} />
        </Field>
      </div>
      <div class="presets" role="group" aria-label="Presets">
        {RANGE_PRESETS.map(([width, name, past]) => (
          <GridPreset
            key={width}
            {...props}
            name={name}
            past={past}
            request={request && { ...request, width }}
          />
        ))}
      </div>
    </>
  );
}

const PAUSE_MS = 350;

/** Returns a value when it has not changed for a while; until then, undefined. */
function useSettled<T>(value: T): T | undefined {
  const text = JSON.stringify(value);
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled === text ? value : undefined;
}

type GuideBody = Readonly<Record<string, string | number | boolean>>;

function GridPreset({
  name,
  past,
  request,
  ...props
}: PresetsProps & { name: string; past: string; request: GuideBody | undefined }) {
  const { data, error } = useLoad<Guide>(request && "POST /strategy/grid/guide", request);
  const { form, texts } = props;
  const config = data?.start.config;
  if (!config || error)
    return <PresetButton {...props} preset={{ name, texts: {}, says: error?.message ?? "", levels: [] }} />;
  const { lowerPrice, upperPrice, gridLevels, orderSize } = config as Readonly<Record<string, number>>;
  const cleared = { stopLossPrice: null, takeProfitPrice: null, trail: { up: null, down: null } };
  const { allowLoss: _, useOwnBase: _own, ...shape } = config;
  const [low = 0, high = 0, count = 0, size = 0] = [lowerPrice, upperPrice, gridLevels, orderSize];
  return (
    <PresetButton
      {...props}
      preset={{
        name,
        texts: textsOf(form, { symbol: texts.symbol, config: { ...cleared, ...shape } }),
        says: `${past}: ${number(low)} – ${number(high)}, ${pluralize(count, "level")} of ${number(size)}`,
        levels: evenPrices(low, high, count),
      }}
    />
  );
}

/** Shapes of the other forms: name, texts, levels on each side, and percent of the outermost one. */
const SHAPE_PRESETS: Readonly<
  Record<string, readonly (readonly [name: string, texts: TypedTexts, levels: number, percent: number])[]>
> = {
  centered: [
    ["Narrow", { levels: "5", spacing: "1", deviation: "0.75" }, 5, 5],
    ["Usual", { levels: "5", spacing: "2", deviation: "1.5" }, 5, 10],
    ["Wide", { levels: "5", spacing: "4", deviation: "3" }, 5, 20],
  ],
  quote: [
    ["Tight", { spreadPercent: "0.6", withinPercent: "1", levels: "3" }, 3, 1],
    ["Usual", { spreadPercent: "2", withinPercent: "1.7", levels: "3" }, 3, 1.7],
    ["Wide", { spreadPercent: "4", withinPercent: "5", levels: "3" }, 3, 5],
  ],
};

/** Presets of a shape around the price. */
function Presets(props: PresetsProps) {
  const { form, price = props.closes.at(-1) } = props;
  const shapes = SHAPE_PRESETS[form.key];
  if (!shapes) return null;
  return (
    <div class="presets" role="group" aria-label="Presets">
      {shapes.map(([name, texts, levels, outer]) => {
        const inner = Number(texts.spacing ?? Number(texts.spreadPercent) / 2);
        const distances = evenPrices(inner, outer, levels - 1);
        const of = (distance: number) => [-distance, distance].map((one) => (price ?? 0) * (1 + one / 100));
        return (
          <PresetButton
            key={name}
            {...props}
            preset={{
              name,
              texts,
              says: `${levels} on each side, ${number(inner)} to ${number(outer)} % away`,
              levels: price === undefined ? [] : distances.flatMap(of),
            }}
          />
        );
      })}
    </div>
  );
}
