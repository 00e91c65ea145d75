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

it("leaves a call alone whose name every record has, such as toString", () => {
  const mutants: Mutant[] = [];
  const source = "export const textOf = (a) => a.toString();\n";
  expect(instrument("src/web/some.tsx", source, mutants)).toBe(source);
  expect(mutants).toEqual([]);
});

it("changes what stands in an element of the page", () => {
  const mutants: Mutant[] = [];
  const out = instrument(
    "src/web/some.tsx",
    "export const Part = ({ a }) => <b>{a > 1 ? a : <i />}</b>;\n",
    mutants,
  );
  expect(mutants.map(({ to }) => to)).toEqual(["a >= 1", "true", "false"]);
  expect(out).toContain("<b>{(__mutant(0) ? (a >= 1) : ");
});
