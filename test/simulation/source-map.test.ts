import { transform } from "esbuild";
import { expect, it } from "vitest";
import { segmentsOf } from "./source-map.ts";

const SOURCE = `interface Gone {
  readonly one: string;
}

export const first = (told: Gone): string => told.one;
export function second(): number {
  const sum = 1 + 2;
  return sum;
}
`;

it("the source map finds the source line of a position in the generated code", async () => {
  const { code, map } = await transform(SOURCE, { loader: "ts", sourcemap: true, sourcefile: "src/a.ts" });
  const segments = segmentsOf(code, JSON.parse(map));
  // The first place of a row is where it begins.
  const startOf = (text: string) => code.lastIndexOf("\n", code.indexOf(text)) + 1;
  const lineOf = (text: string) => segments.find(({ offset }) => offset === startOf(text))?.line;
  expect(lineOf("const sum")).toBe("src/a.ts:7");
  expect(lineOf("return sum")).toBe("src/a.ts:8");
  expect(segments.every(({ source }) => source === "src/a.ts")).toBe(true);
});
