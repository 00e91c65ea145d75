import type { ISeriesPrimitive, SeriesAttachedParameter, Time } from "lightweight-charts";
import { colorOf } from "./colors.ts";
import { LABEL, placeLabels } from "./labels.ts";

/** A price level: an open order, or another important price. */
export interface Level {
  readonly price: number;
  readonly kind: "buy" | "sell" | "empty" | "refused" | "line" | "stop";
  /** Label next to it; levels without one are only lines. */
  readonly name?: string | undefined;
}

const LOOK: Readonly<Record<Level["kind"], { color: string; opacity: number; dash: readonly number[] }>> = {
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

export type LevelsPrimitive = ISeriesPrimitive<Time> & { show(levels: readonly Level[]): void };

/** Draws all levels as one primitive, because a hundred price lines would be slow. */
export function levelsPrimitive(): LevelsPrimitive {
  let attached: SeriesAttachedParameter<Time> | undefined;
  let levels: readonly Level[] = [];
  let colors = new Map<Level["kind"], string>();
  let ground = "";
  const lines = { draw: (target: Target) => drawLevels(target, { attached, levels, colors, ground }) };
  const labels = { draw: (target: Target) => drawLabels(target, { attached, levels, colors, ground }) };
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
    autoscaleInfo: () => (levels.length === 0 ? null : { priceRange: rangeOf(levels) }),
    show(next) {
      levels = next;
      const kinds = [...new Set(next.map(({ kind }) => kind))];
      colors = new Map(kinds.map((kind) => [kind, colorOf(LOOK[kind].color, LOOK[kind].opacity)]));
      ground = colorOf("panel");
      attached?.requestUpdate();
    },
  };
}

const rangeOf = (levels: readonly Level[]) => ({
  minValue: Math.min(...levels.map(({ price }) => price)),
  maxValue: Math.max(...levels.map(({ price }) => price)),
});

interface Drawn {
  readonly attached: SeriesAttachedParameter<Time> | undefined;
  readonly levels: readonly Level[];
  readonly colors: ReadonlyMap<Level["kind"], string>;
  readonly ground: string;
}

/** Returns the visible levels with their positions. */
const visible = ({ attached, levels }: Drawn) =>
  levels.flatMap((level) => {
    const y = attached?.series.priceToCoordinate(level.price) ?? null;
    return y === null ? [] : [{ ...level, y: Math.round(y) }];
  });

function drawLevels(target: Target, drawn: Drawn): void {
  target.useMediaCoordinateSpace(({ context, mediaSize }) => {
    context.save();
    context.lineWidth = 1;
    for (const { kind, y } of visible(drawn)) {
      context.strokeStyle = drawn.colors.get(kind) ?? "gray";
      context.setLineDash([...LOOK[kind].dash]);
      context.beginPath();
      context.moveTo(0, y + 0.5);
      context.lineTo(mediaSize.width, y + 0.5);
      context.stroke();
    }
    context.restore();
  });
}

function drawLabels(target: Target, drawn: Drawn): void {
  target.useMediaCoordinateSpace(({ context }) => {
    context.save();
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const named = visible(drawn).flatMap(({ name, kind, y }) =>
      name ? [{ name, kind, y, width: context.measureText(name).width + LABEL.gap }] : [],
    );
    const places = placeLabels(named);
    for (const [at, { name, kind, y, width }] of named.entries()) {
      const x = places[at] ?? LABEL.gap;
      context.fillStyle = drawn.ground;
      context.fillRect(x, y - LABEL.height / 2, width, LABEL.height);
      context.fillStyle = drawn.colors.get(kind) ?? "gray";
      context.fillText(name, x + LABEL.gap / 2, y + 1);
    }
    context.restore();
  });
}
