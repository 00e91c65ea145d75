/** A place of a bundle that stems from a line of a source. */
export interface Segment {
  /** In the bundle's text. */
  readonly offset: number;
  readonly source: string;
  /** `src/engine/pass/act.ts:12` */
  readonly line: string;
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The numbers of one segment: five bits a digit, the lowest first, a sixth where more follow; the last bit is the sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

/** All places of a bundle's text that its map knows; sources are named from the root of the repository. */
export function segmentsOf(text: string, { sources, mappings }: SourceMap): Segment[] {
  const names = sources.map((source) => source.replace(/^(\.\.\/)+/, ""));
  const found: Segment[] = [];
  let [source, line, start] = [0, 0, 0];
  const lines = text.split("\n");
  for (const [row, segments] of mappings.split(";").entries()) {
    let column = 0;
    for (const segment of segments === "" ? [] : segments.split(",")) {
      const [columns = 0, sourcesOn, linesOn = 0] = numbersOf(segment);
      column += columns;
      if (sourcesOn === undefined) continue;
      source += sourcesOn;
      line += linesOn;
      const name = names[source] ?? "";
      found.push({ offset: start + column, source: name, line: `${name}:${line + 1}` });
    }
    start += (lines[row]?.length ?? 0) + 1;
  }
  return found;
}
