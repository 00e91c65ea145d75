/** One measured figure: its median over the runs, and what was asked of it. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly runs: readonly number[];
  readonly goal?: string;
}

export const RUNS = 7;

export function median(runs: readonly number[]): number {
  const sorted = [...runs].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export async function repeat(measure: () => Promise<number>, times = RUNS): Promise<number[]> {
  const runs: number[] = [];
  for (let run = 0; run < times; run++) runs.push(await measure());
  return runs;
}

const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 1 ? 2 : 1);

export const row = ({ name, unit, runs, goal = "" }: Figure): string =>
  `| ${name} | ${round(median(runs))} ${unit} | ${round(Math.min(...runs))} – ${round(Math.max(...runs))} | ${goal} |`;

/** Prints why a part measures nothing, and returns no figures. */
export function noCandles(part: string, file: string): Figure[] {
  process.stderr.write(`${part}: nothing was measured, because its candles are missing: ${file}\n`);
  return [];
}
