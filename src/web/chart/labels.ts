/** Where a label would stand, and how wide its text is, in pixels. */
export interface WantedLabel {
  readonly y: number;
  readonly width: number;
}

/** A label is so tall, and so far from the edge and from the next one. */
export const LABEL = { height: 16, gap: 6 } as const;

/** How far from the left each label stands: beside those that are at its height, never over them. */
export function placeLabels(wanted: readonly WantedLabel[]): readonly number[] {
  const placed: { y: number; from: number; until: number }[] = [];
  return wanted.map(({ y, width }) => {
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
