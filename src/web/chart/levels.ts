import type { ISeriesPrimitive, SeriesAttachedParameter, Time } from "lightweight-charts";
import { colorOf } from "./colors.ts";

/** What stands at a price: what rests there, or a price that matters. */
export interface Level {
  readonly price: number;
  readonly kind: "buy" | "sell" | "empty" | "refused" | "line" | "stop";
  /** Shown beside it; levels without one are lines alone. */
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

/** All levels as one part of the series: a hundred price lines would each be laid out and drawn apart. */
export function levelsPrimitive(): LevelsPrimitive {
  let attached: SeriesAttachedParameter<Time> | undefined;
  let levels: readonly Level[] = [];
  let colors = new Map<Level["kind"], string>();
  const renderer = { draw: (target: Target) => drawLevels(target, attached, levels, colors) };
  const views = [{ zOrder: () => "bottom" as const, renderer: () => renderer }];
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
      attached?.requestUpdate();
    },
  };
}

const LABEL_WIDTH = 76;

const rangeOf = (levels: readonly Level[]) => ({
  minValue: Math.min(...levels.map(({ price }) => price)),
  maxValue: Math.max(...levels.map(({ price }) => price)),
});

function drawLevels(
  target: Target,
  attached: SeriesAttachedParameter<Time> | undefined,
  levels: readonly Level[],
  colors: ReadonlyMap<Level["kind"], string>,
): void {
  target.useMediaCoordinateSpace(({ context, mediaSize }) => {
    context.save();
    context.font = "11px system-ui, sans-serif";
    let labels = 0;
    for (const { price, kind, name } of levels) {
      const y = attached?.series.priceToCoordinate(price);
      if (y === null || y === undefined) continue;
      context.strokeStyle = colors.get(kind) ?? "gray";
      context.fillStyle = context.strokeStyle;
      context.lineWidth = 1;
      context.setLineDash([...LOOK[kind].dash]);
      context.beginPath();
      context.moveTo(0, Math.round(y) + 0.5);
      context.lineTo(mediaSize.width, Math.round(y) + 0.5);
      context.stroke();
      // Each further right than the one before: prices that are close would be told one over the other.
      if (name) context.fillText(name, 6 + LABEL_WIDTH * labels++, Math.round(y) - 3);
    }
    context.restore();
  });
}
