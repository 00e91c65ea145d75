import { change, money, pairOf, toneOf } from "./format.ts";
import { againstHolding } from "./grid-figures.ts";
import type { Grid } from "./types.ts";
import { Stat } from "./ui.tsx";

/** What all grids have made, by quote asset; those on paper are counted apart. */
export function Totals({ grids }: { grids: readonly Grid[] }) {
  const nameOf = ({ symbol, dryRun }: Grid) => `${pairOf(symbol).quote}${dryRun ? " (paper trading)" : ""}`;
  return (
    <>
      {[...new Set(grids.map(nameOf))].map((name) => (
        <Group key={name} name={name} grids={grids.filter((grid) => nameOf(grid) === name)} />
      ))}
    </>
  );
}

function Group({ name, grids }: { name: string; grids: readonly Grid[] }) {
  const total = sumOf(grids.map(({ totalProfit }) => totalProfit));
  const realized = sumOf(grids.map(({ profit }) => profit));
  const unrealized = sumOf(grids.map(({ unrealizedProfit }) => unrealizedProfit));
  const against = sumOf(grids.map(againstHolding));
  const capital = sumOf(grids.map(({ investment }) => investment)) ?? 0;
  const [quote = name] = name.split(",");
  return (
    <dl class="stats" aria-label={`Totals in ${name}`}>
      <Stat name={`Total, ${name}`} tone={`large ${toneOf(total)}`}>
        {change(total)}
      </Stat>
      <Stat name="Realized" tone={toneOf(realized)}>
        {change(realized)}
      </Stat>
      <Stat name="Unrealized" tone={toneOf(unrealized)}>
        {change(unrealized)}
      </Stat>
      <Stat name="vs buy and hold" tone={toneOf(against)}>
        {change(against)}
      </Stat>
      <Stat name="Capital">{`${money(capital)} ${quote}`}</Stat>
    </dl>
  );
}

/** What is not known makes the sum unknown. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);
