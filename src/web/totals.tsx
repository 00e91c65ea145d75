import { money, pairOf } from "./format.ts";
import { againstHolding } from "./grid-figures.ts";
import type { Grid, OwnStatus, Quoted } from "./types.ts";
import { ChangeStat, Stat } from "./ui.tsx";

/** A strategy whose capital is not known. */
type Other = Quoted | OwnStatus;

/** P&L of all strategies by quote asset; paper trading is separate. */
export function Totals({ grids, others }: { grids: readonly Grid[]; others: readonly Other[] }) {
  const nameOf = ({ symbol, dryRun }: Pick<Grid, "symbol" | "dryRun">) =>
    `${pairOf(symbol).quote}${dryRun ? " (paper trading)" : ""}`;
  return (
    <>
      {[...new Set([...grids, ...others].map(nameOf))].map((name) => (
        <Group
          key={name}
          name={name}
          grids={grids.filter((grid) => nameOf(grid) === name)}
          others={others.filter((one) => nameOf(one) === name)}
        />
      ))}
    </>
  );
}

interface GroupOf {
  readonly name: string;
  readonly grids: readonly Grid[];
  readonly others: readonly Other[];
}

function Group({ name, grids, others }: GroupOf) {
  const all = [...grids, ...others];
  const total = sumOf(all.map(({ totalProfit }) => totalProfit));
  const realized = sumOf(all.map(({ profit }) => profit));
  const unrealized = sumOf([
    ...grids.map(({ unrealizedProfit }) => unrealizedProfit),
    ...others.map(openProfit),
  ]);
  const against = sumOf(grids.map(againstHolding));
  const capital = sumOf(grids.map(({ investment }) => investment)) ?? 0;
  const [quote = name] = name.split(",");
  return (
    <dl class="stats" aria-label={`Totals in ${name}`}>
      <ChangeStat name={`Total, ${name}`} of={total} isLarge />
      <ChangeStat name="Realized" of={realized} />
      <ChangeStat name="Unrealized" of={unrealized} />
      {grids.length > 0 ? (
        <>
          <ChangeStat name={others.length > 0 ? "Grids vs buy and hold" : "vs buy and hold"} of={against} />
          <Stat
            name={others.length > 0 ? "Capital of grids" : "Capital"}
          >{`${money(capital)} ${quote}`}</Stat>
        </>
      ) : null}
    </dl>
  );
}

const openProfit = ({ totalProfit, profit }: Other): number | null =>
  totalProfit === null ? null : totalProfit - profit;

/** Returns the sum; an unknown value makes it unknown. */
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);
