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
