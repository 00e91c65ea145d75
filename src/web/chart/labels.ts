/** Position of a label before placement, and its width in pixels. */
interface LabelRequest {
  readonly y: number;
  readonly width: number;
}

/** Height of a label, and its distance from the edge and from the next one. */
export const LABEL = { height: 16, gap: 6 } as const;

/** Returns each label's distance from the left, next to labels at the same height and never over them. */
export function placeLabels(requests: readonly LabelRequest[]): readonly number[] {
  const placed: { y: number; from: number; until: number }[] = [];
  return requests.map(({ y, width }) => {
    const beside = placed
      .filter((other) => Math.abs(other.y - y) < LABEL.height)
      .sort((a, b) => a.from - b.from);
    let from: number = LABEL.gap;
    for (const other of beside)
      if (from < other.until + LABEL.gap && other.from < from + width + LABEL.gap)
        from = other.until + LABEL.gap;
    placed.push({ y, from, until: from + width });
    return from;
  });
}

/** Share of the height of candles, orders and range, up to which a named line can be beyond them and set the scale too. */
const NEAR_SHARE = 0.25;

/** Returns the prices of levels that a chart has to show beside its candles; undefined if all are far away. */
export function chartScale(
  levels: readonly { readonly price: number; readonly name?: string | undefined }[],
  candles: readonly Readonly<Record<"low" | "high", number>>[],
): { readonly minValue: number; readonly maxValue: number } | undefined {
  const fixed = levels.filter(({ name }) => !name).map(({ price }) => price);
  const min = Math.min(...fixed, ...candles.map(({ low }) => low));
  const max = Math.max(...fixed, ...candles.map(({ high }) => high));
  const room = NEAR_SHARE * (max - min);
  const shown = levels
    .map(({ price }) => price)
    .filter((price) => price >= min - room && price <= max + room);
  return shown.length === 0 ? undefined : { minValue: Math.min(...shown), maxValue: Math.max(...shown) };
}

/** Returns the text of a label and its height in the chart: at the edge, with the price, if its line is beyond that. */
export function labelAt(
  { name, y }: { readonly name: string; readonly y: number },
  height: number,
  price: string,
): { readonly text: string; readonly y: number } {
  const isAbove = y < 0;
  if (!isAbove && y <= height) return { text: name, y };
  return {
    text: `${name} ${price} ${isAbove ? "↑" : "↓"}`,
    y: isAbove ? LABEL.height / 2 : height - LABEL.height / 2,
  };
}
