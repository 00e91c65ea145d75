import type { Mutant } from "./instrument.ts";
import type { Covered } from "./units.ts";

/** How long a piece of code is told at most. */
const SHORT = 70;

/**
 * Where the simulation has been: of each file how many of its lines with something to change its seeds have come across,
 * and the first code of each line that none has. What is read once when its file is loaded is nobody's.
 */
export function reachOf(mutants: readonly Mutant[], covered: readonly Covered[]): readonly string[] {
  const request = new Set(covered.flatMap((one) => one.reached));
  const files = new Map<string, Map<number, { readonly code: string; isReached: boolean }>>();
  for (const { file, line, from, number, isLasting } of mutants) {
    if (isLasting) continue;
    const lines = files.get(file) ?? new Map();
    files.set(file, lines);
    const known = lines.get(line) ?? { code: from.slice(0, SHORT), isReached: false };
    lines.set(line, { ...known, isReached: known.isReached || request.has(number) });
  }
  return [...files].flatMap(([file, lines]) => {
    const missed = [...lines].filter(([, { isReached }]) => !isReached);
    const title = `${file}: ${lines.size - missed.length} of ${lines.size} lines`;
    return [title, ...missed.map(([line, { code }]) => `  ${String(line).padStart(4)}  ${code}`)];
  });
}
