import {
  CandlestickSeries,
  type ChartOptions,
  createChart,
  createSeriesMarkers,
  type DeepPartial,
  type IChartApi,
  type ISeriesApi,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import type { CandlesAnswer, FillAnswer } from "../types.ts";
import { colorOf, onScheme } from "./colors.ts";
import { type Level, levelsPrimitive } from "./levels.ts";

export interface ChartContent {
  readonly candles: readonly CandlesAnswer["candles"][number][];
  readonly levels: readonly Level[];
  readonly fills: readonly Pick<FillAnswer, "side" | "price" | "timestamp">[];
  /** Decimals of the market's prices. */
  readonly digits: number;
}

export interface ChartHandle {
  show(shown: ChartContent): void;
  priceAt(y: number): number | undefined;
  yOf(price: number): number | undefined;
  remove(): void;
}

const seconds = (millis: number): UTCTimestamp => Math.floor(millis / 1000) as UTCTimestamp;

/** Creates a chart that fills an element. */
export function createGridChart(element: HTMLElement): ChartHandle {
  const chart = createChart(element, { autoSize: true, ...looks() });
  const series = chart.addSeries(CandlestickSeries, { priceLineVisible: false });
  const primitive = levelsPrimitive();
  series.attachPrimitive(primitive);
  const markers = createSeriesMarkers<Time>(series, []);
  let last: ChartContent | undefined;
  let isFitted = false;
  const paint = (shown: ChartContent) => {
    series.applyOptions({ ...seriesLooks(), priceFormat: formatOf(shown.digits) });
    if (shown.candles !== last?.candles) setCandles(series, shown.candles);
    markers.setMarkers(markersOf(shown));
    primitive.show(shown.levels);
    if (!isFitted && shown.candles.length > 0) fitAll(chart, shown.candles.length);
    isFitted ||= shown.candles.length > 0;
    last = shown;
  };
  const endScheme = onScheme(() => {
    chart.applyOptions(looks());
    if (last) paint(last);
  });
  return {
    show: paint,
    priceAt: (y) => series.coordinateToPrice(y) ?? undefined,
    yOf: (price) => series.priceToCoordinate(price) ?? undefined,
    remove() {
      endScheme();
      chart.remove();
    },
  };
}

/** Distance in pixels of the first and last time from the edges, so neither is cut off. */
const EDGE = 24;

function fitAll(chart: IChartApi, candles: number): void {
  const margin = (candles * EDGE) / Math.max(EDGE, chart.timeScale().width());
  chart.timeScale().setVisibleLogicalRange({ from: -margin, to: candles - 1 + margin });
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
  return { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false };
}

const formatOf = (digits: number) => ({
  type: "price" as const,
  precision: digits,
  minMove: 10 ** -digits,
});

const setCandles = (series: ISeriesApi<"Candlestick">, candles: ChartContent["candles"]) =>
  series.setData(
    candles.map(({ timestamp, open, high, low, close }) => ({
      time: seconds(timestamp),
      open,
      high,
      low,
      close,
    })),
  );

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
      price,
      shape: side === "buy" ? "arrowUp" : "arrowDown",
      color: colors[side],
    }));
}

const candleAt = (candles: ChartContent["candles"], at: number): number =>
  candles.findLast(({ timestamp }) => timestamp <= at)?.timestamp ?? at;
