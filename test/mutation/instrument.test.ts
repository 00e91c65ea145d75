import { expect, it } from "vitest";
import { instrument, type Mutant } from "./instrument.ts";

const SOURCE = `
const sum = (a) => a + 1;
const part = (place) => sql\`a = \${place} and b = 1\`;
const found = () => sql\`select 1 from c where \${part(7)} and d = 2\`;
const ways = eachWay((now, way) => (way ? now : sql\`e = 3 and f = 4\`));
const free = (x) => sql\`g = 5 and h = \${x}\`;
export const act = ({ prepare }) => [prepare(found)(), sum(2), free(3)];
`;

it("only a text that is built once per process is marked as lasting", () => {
  const mutants: Mutant[] = [];
  instrument("src/adapters/libsql/some.ts", SOURCE, mutants);
  const linesOf = (isLasting: boolean) => [
    ...new Set(mutants.filter((one) => one.isLasting === isLasting).map(({ line }) => line)),
  ];
  expect(linesOf(true)).toEqual([3, 4, 5]);
  expect(linesOf(false)).toEqual([2, 6]);
});
