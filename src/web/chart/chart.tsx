import { useRef, useState } from "hono/jsx/dom";
import {
  CandlestickSeries,
  type ChartOptions,
  createChart,
  createSeriesMarkers,
  type DeepPartial,
  type IChartApi,
  type ISeriesApi,
  type ISeriesPrimitive,
  type SeriesAttachedParameter,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect } from "../effect.ts";
import { type Digits, digitsOf, number } from "../format.ts";
import { type Bound, BoundSlider } from "./bounds.tsx";
import { chartScale, LABEL, labelAt, placeLabels } from "./labels.ts";
import { CandleTable, type ChartContent, type ChartLevel, candleAt, Legend, LevelTable } from "./tables.tsx";

interface ChartProps extends ChartContent {
  /** Description of the chart for screen readers. */
  readonly label: string;
  /** Bounds that the user can drag, and where they are. */
  readonly bounds?: Readonly<Record<Bound, number>> | undefined;
  readonly moved?: ((bound: Bound, price: number) => void) | undefined;
  /** Called when a pointer or a key is released after it moved a bound. */
  readonly released?: () => void;
}

/** Candles with a grid's levels, also as a table. */
export function GridChart({ label, bounds, moved, released, ...shown }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<ChartHandle | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const made = createGridChart(element.current);
    chart.current = made;
    made.show(shown);
    return () => {
      made.remove();
      chart.current = null;
    };
  }, []);
  const boundsText = bounds ? Object.values(bounds).join() : "";
  useEffect(() => {
    chart.current?.show(shown);
  }, [shown.candles, shown.fills, shown.digits, levelsText(shown.levels), boundsText]);
  return (
    <>
      <div class="chart">
        <div role="img" aria-label={label} ref={element} />
        {(["lower", "upper"] as const).map((bound) =>
          bounds ? (
            <BoundSlider
              key={bound}
              bound={bound}
              bounds={bounds}
              digits={shown.digits}
              priceAt={(y) => chart.current?.priceAt(y)}
              moved={(price) => moved?.(bound, price)}
              released={() => released?.()}
            />
          ) : null,
        )}
      </div>
      <Legend levels={shown.levels} />
      <details onToggle={({ target }: Event) => setOpen((target as HTMLDetailsElement).open)}>
        <summary>The chart as a table</summary>
        {isOpen ? (
          <>
            <LevelTable levels={shown.levels} digits={shown.digits} />
            <CandleTable {...shown} />
          </>
        ) : null}
      </details>
    </>
  );
}

const levelsText = (levels: readonly Level[]): string =>
  levels.map(({ price, kind, name = "", amount = "" }) => `${price}${kind}${name}${amount}`).join();

interface ChartHandle {
  show(shown: ChartContent): void;
  priceAt(y: number): number | undefined;
  remove(): void;
}

const seconds = (millis: number): UTCTimestamp => Math.floor(millis / 1000) as UTCTimestamp;

/** Creates a chart that fills an element. */
function createGridChart(element: HTMLElement): ChartHandle {
  const chart = createChart(element, { autoSize: true, ...looks() });
  const series = chart.addSeries(CandlestickSeries);
  const frame = element.parentElement;
  const primitive = levelsPrimitive(() => placeBounds(frame, series));
  const point = (event: Event) => primitive.hover(event.type === "focusin" || event.type === "pointerenter");
  const pointing = ["pointerenter", "pointerleave", "focusin", "focusout"];
  for (const name of pointing) frame?.addEventListener(name, point);
  series.attachPrimitive(primitive);
  const markers = createSeriesMarkers<Time>(series, []);
  let last: ChartContent | undefined;
  let fittedWidth = 0;
  const refit = () => {
    const { clientWidth } = element;
    if (!last || last.candles.length === 0 || clientWidth === fittedWidth) return;
    fittedWidth = clientWidth;
    fitAll(chart, last);
  };
  chart.timeScale().subscribeSizeChange(refit);
  const paint = (shown: ChartContent) => {
    const digits = shown.digits ?? digitsOf(shown.candles.map(({ close }) => close)) ?? 2;
    series.applyOptions({ ...seriesLooks(), priceFormat: formatOf(digits) });
    if (shown.candles !== last?.candles) setCandles(series, shown.candles, last?.candles);
    markers.setMarkers(markersOf(shown));
    primitive.show({ ...shown, digits });
    last = shown;
    refit();
  };
  const endScheme = onScheme(() => {
    chart.applyOptions(looks());
    if (last) paint(last);
  });
  return {
    show: paint,
    priceAt: (y) => series.coordinateToPrice(y) ?? undefined,
    remove() {
      endScheme();
      for (const name of pointing) frame?.removeEventListener(name, point);
      chart.remove();
    },
  };
}

/** Distance in pixels of the first and last time from the edges, so neither is cut off, and of the last from amounts. */
const [EDGE, AMOUNTS] = [24, 96] as const;
const MIN_CANDLE_WIDTH = 4;

function fitAll(chart: IChartApi, { candles: { length }, levels }: ChartContent): void {
  const right = levels.some(({ amount }) => amount) ? AMOUNTS : EDGE;
  const width = Math.max(EDGE, chart.timeScale().width() - EDGE - right);
  // On a phone, the newest ones.
  const shown = Math.min(length, Math.floor(width / MIN_CANDLE_WIDTH));
  const each = shown / width;
  chart.timeScale().setVisibleLogicalRange({
    from: length - shown - EDGE * each,
    to: length - 1 + right * each,
  });
}

const axisTime = (time: Time, how: Intl.DateTimeFormatOptions): string =>
  new Date(Number(time) * 1000).toLocaleString(undefined, how);

const looks = (): DeepPartial<ChartOptions> => ({
  layout: {
    // Our logo is below every page; the chart's own adds a style element and reports where its link was followed.
    attributionLogo: false,
    background: { color: "transparent" },
    textColor: colorOf("quiet"),
    fontFamily: "system-ui, sans-serif",
  },
  grid: { vertLines: { visible: false }, horzLines: { visible: false } },
  rightPriceScale: { borderColor: colorOf("line") },
  timeScale: {
    borderColor: colorOf("line"),
    timeVisible: true,
    tickMarkFormatter: (time: Time, kind: number) =>
      axisTime(time, kind >= 3 ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" }),
  },
  localization: {
    timeFormatter: (time: Time) => axisTime(time, { dateStyle: "short", timeStyle: "short" }),
  },
});

function seriesLooks() {
  const [up, down] = [colorOf("up"), colorOf("down")];
  const priceLineColor = colorOf("accent");
  return {
    upColor: up,
    downColor: down,
    wickUpColor: up,
    wickDownColor: down,
    borderVisible: false,
    priceLineColor,
  };
}

const formatOf = (digits: number) => ({
  type: "price" as const,
  precision: digits,
  minMove: 10 ** -digits,
});

/** Updates the last candle and adds later ones; other candles replace all, and the chart keeps its place. */
function setCandles(
  series: ISeriesApi<"Candlestick">,
  candles: ChartContent["candles"],
  before: ChartContent["candles"] = [],
): void {
  const bars = candles.map(({ timestamp, ...bar }) => ({ ...bar, time: seconds(timestamp) }));
  const isSame = before.length > 1 && before[0] === candles[0] && before.length <= candles.length;
  if (isSame) for (const bar of bars.slice(before.length - 1)) series.update(bar);
  else series.setData(bars);
}

/** Returns markers for the visible fills, each at its candle and price. */
function markersOf({ candles, fills }: ChartContent): SeriesMarker<Time>[] {
  const first = candles[0]?.timestamp ?? Number.POSITIVE_INFINITY;
  const colors = { buy: colorOf("up"), sell: colorOf("down") };
  return fills
    .filter(({ timestamp }) => timestamp >= first)
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map(({ side, price, timestamp }) => ({
      time: seconds(candleAt(candles, timestamp)),
      position: "atPriceMiddle",
      price: Number(price),
      shape: side === "buy" ? "arrowUp" : "arrowDown",
      color: colors[side],
    }));
}

/** Puts the bounds over their prices, up to the amounts, whenever the chart is drawn. */
function placeBounds(frame: HTMLElement | null, series: ISeriesApi<"Candlestick">): void {
  for (const slider of frame?.querySelectorAll<HTMLElement>(".bound") ?? []) {
    const y = series.priceToCoordinate(Number(slider.dataset.price));
    slider.style.top = y === null ? "-99px" : `${y}px`;
    slider.style.right = `${series.priceScale().width() + AMOUNTS}px`;
  }
}

export type Level = ChartLevel;

const LEVEL_STYLES: Readonly<
  Record<Level["kind"], { color: string; opacity: number; dash: readonly number[] }>
> = {
  buy: { color: "up", opacity: 0.75, dash: [] },
  sell: { color: "down", opacity: 0.75, dash: [] },
  empty: { color: "quiet", opacity: 0.5, dash: [2, 4] },
  refused: { color: "warn", opacity: 0.9, dash: [6, 4] },
  line: { color: "accent", opacity: 1, dash: [8, 4] },
  stop: { color: "down", opacity: 1, dash: [3, 3] },
};

type Target = Parameters<
  NonNullable<
    ReturnType<NonNullable<ReturnType<NonNullable<ISeriesPrimitive<Time>["paneViews"]>>[number]["renderer"]>>
  >["draw"]
>[0];

interface LevelsPrimitive extends ISeriesPrimitive<Time> {
  show(shown: ChartContent): void;
  /** Shows levels as lines while a pointer or the focus is on the chart. */
  hover(isOn: boolean): void;
}

/** Draws all levels as one primitive, because a hundred price lines would be slow. */
function levelsPrimitive(redrawn: () => void): LevelsPrimitive {
  let attached: SeriesAttachedParameter<Time> | undefined;
  let levels: readonly Level[] = [];
  let scale: ReturnType<typeof chartScale> | undefined;
  let digits: Digits;
  let colors = new Map<Level["kind"], string>();
  let ground = "";
  let isPointed = false;
  const drawn = (): Drawn => ({ attached, levels, digits, colors, ground, isPointed });
  const lines = {
    draw: (target: Target) => {
      drawLevels(target, drawn());
      redrawn();
    },
  };
  const labels = { draw: (target: Target) => drawLabels(target, drawn()) };
  const views = [
    { zOrder: () => "bottom" as const, renderer: () => lines },
    // Above candles and lines, so labels are readable.
    { zOrder: () => "top" as const, renderer: () => labels },
  ];
  return {
    attached: (parameter) => {
      attached = parameter;
    },
    detached: () => {
      attached = undefined;
    },
    paneViews: () => views,
    autoscaleInfo: () => (scale ? { priceRange: scale } : null),
    show(next) {
      ({ levels, digits } = next);
      scale = chartScale(levels, next.candles);
      const kinds = [...new Set(levels.map(({ kind }) => kind))];
      colors = new Map(
        kinds.map((kind) => [kind, colorOf(LEVEL_STYLES[kind].color, LEVEL_STYLES[kind].opacity)]),
      );
      ground = colorOf("panel");
      attached?.requestUpdate();
    },
    hover(isOn) {
      if (isOn === isPointed) return;
      isPointed = isOn;
      attached?.requestUpdate();
    },
  };
}

interface Drawn {
  readonly attached: SeriesAttachedParameter<Time> | undefined;
  readonly levels: readonly Level[];
  readonly digits: Digits;
  readonly colors: ReadonlyMap<Level["kind"], string>;
  readonly ground: string;
  readonly isPointed: boolean;
}

/** Returns the visible levels with their positions. */
const visible = ({ attached, levels }: Drawn) =>
  levels.flatMap((level) => {
    const y = attached?.series.priceToCoordinate(level.price) ?? null;
    return y === null ? [] : [{ ...level, y: Math.round(y) }];
  });

/** Length of a tick at the right edge, and how faint the line of a level without a name is. */
const [TICK, FAINT] = [28, 0.35] as const;

function drawLevels(target: Target, drawn: Drawn): void {
  target.useMediaCoordinateSpace(({ context, mediaSize: { width } }) => {
    context.save();
    for (const { kind, name, y } of visible(drawn)) {
      const line = (from: number, wide: number, opacity: number) => {
        context.lineWidth = wide;
        context.globalAlpha = opacity;
        context.beginPath();
        context.moveTo(from, y + 0.5);
        context.lineTo(width, y + 0.5);
        context.stroke();
      };
      context.strokeStyle = drawn.colors.get(kind) ?? "gray";
      context.setLineDash([...LEVEL_STYLES[kind].dash]);
      if (name || drawn.isPointed) line(0, 1, name ? 1 : FAINT);
      if (!name) line(width - TICK, 2, 1);
    }
    context.restore();
  });
}

function drawLabels(target: Target, drawn: Drawn): void {
  target.useMediaCoordinateSpace(({ context, mediaSize }) => {
    context.save();
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    drawAmounts(context, mediaSize.width - TICK - LABEL.gap, drawn);
    const named = visible(drawn).flatMap(({ name, kind, y, price }) => {
      if (!name) return [];
      const label = labelAt({ name, y }, mediaSize.height, number(price, drawn.digits));
      return [{ ...label, kind, width: context.measureText(label.text).width + LABEL.gap }];
    });
    const places = placeLabels(named);
    for (const [at, { text, kind, y, width }] of named.entries()) {
      const x = places[at] ?? LABEL.gap;
      context.fillStyle = drawn.ground;
      context.fillRect(x, y - LABEL.height / 2, width, LABEL.height);
      context.fillStyle = drawn.colors.get(kind) ?? "gray";
      context.fillText(text, x + LABEL.gap / 2, y + 1);
    }
    context.restore();
  });
}

/** Writes the amounts to the left of their ticks, except those that would touch the one above. */
function drawAmounts(context: CanvasRenderingContext2D, right: number, drawn: Drawn): void {
  context.textAlign = "right";
  let free = Number.NEGATIVE_INFINITY;
  for (const { amount, kind, y } of visible(drawn).toSorted((a, b) => a.y - b.y)) {
    if (!amount || y < free) continue;
    const { width } = context.measureText(amount);
    context.fillStyle = drawn.ground;
    context.fillRect(right - width - 2, y - LABEL.height / 2, width + 4, LABEL.height);
    context.fillStyle = drawn.colors.get(kind) ?? "gray";
    context.fillText(amount, right, y + 1);
    free = y + LABEL.height;
  }
  context.textAlign = "left";
}

/** Returns a color of the page's style for a canvas, in the current color scheme. */
function colorOf(name: string, opacity = 1): string {
  const probe = document.createElement("i");
  probe.style.color = `color-mix(in srgb, var(--${name}) ${opacity * 100}%, transparent)`;
  document.body.append(probe);
  const context = document.createElement("canvas").getContext("2d");
  const color = getComputedStyle(probe).color;
  probe.remove();
  if (!context) return color;
  // The computed color can be in a color space that the chart cannot read; one pixel gives plain numbers.
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = context.getImageData(0, 0, 1, 1).data;
  return `rgba(${red}, ${green}, ${blue}, ${(alpha / 255).toFixed(2)})`;
}

/** Calls back when the color scheme changes; returns a function that stops it. */
function onScheme(changed: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}
