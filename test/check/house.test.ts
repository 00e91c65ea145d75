import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { type House, houseOf } from "./house.ts";
import { trackedSources } from "./sources.ts";

/** Goals stand behind what is not reached yet. What has fallen does not rise again: lower the number with it. */
const MAX_COUNTS = {
  floors: 8,
  looseFiles: 5,
  names: 5,
  fileLines: 500,
  functionLines: 60,
  /** With the functions that stand in it. */
  wholeFunctionLines: 80,
};

const sources = trackedSources("src", "cli");

/** All that is wrong with a house, in words. */
function faultsOf(house: House): string[] {
  const { floors, folderCircles, fileCircles, looseFiles, fullFolders, names, files, functions } = house;
  const long = functions.filter(
    ({ lines, whole }) => lines > MAX_COUNTS.functionLines || whole > MAX_COUNTS.wholeFunctionLines,
  );
  const twice = Object.keys(names);
  return [
    ...(floors.length > MAX_COUNTS.floors
      ? [`floors: ${floors.map((rooms) => rooms.join(" ")).join(" | ")}`]
      : []),
    ...folderCircles.map((circle) => `circle of folders: ${circle.join(" ")}`),
    ...fileCircles.map((circle) => `circle of files: ${circle.join(" ")}`),
    ...(looseFiles.length > MAX_COUNTS.looseFiles ? [`loose: ${looseFiles.join(" ")}`] : []),
    ...fullFolders.map((folder) => `full: ${folder}`),
    ...(twice.length > MAX_COUNTS.names ? [`names: defined twice: ${twice.join(" ")}`] : []),
    ...files
      .filter(({ lines }) => lines > MAX_COUNTS.fileLines)
      .map(({ name, lines }) => `long: ${name} ${lines}`),
    ...long.map(({ name, lines, whole }) => `long function: ${name} ${lines} of ${whole}`),
  ];
}

const clean = houseOf(sources);

const lines = (count: number): string => "// line\n".repeat(count);
const floor = (height: number): [string, string] => [
  `src/planted${height}/a.ts`,
  height === 0 ? "export const planted0 = 1;\n" : `export * from "../planted${height - 1}/a.ts";\n`,
];

/** What is planted, and what has to be said of it. */
const PLANTED: readonly (readonly [string, readonly (readonly [string, string])[], RegExp])[] = [
  ["a ninth floor", Array.from({ length: 9 }, (_one, i) => floor(i)), /^floors: .*planted8/],
  [
    "a circle of folders",
    [
      ["src/planted/a.ts", 'import type { B } from "../planted2/b.ts";\nexport type A = B;\n'],
      ["src/planted/c.ts", "export type C = 1;\n"],
      ["src/planted2/b.ts", 'import type { C } from "../planted/c.ts";\nexport type B = C;\n'],
    ],
    /^circle of folders: src\/planted src\/planted2$/,
  ],
  [
    "a circle of files",
    [
      ["src/kernel/a.ts", 'export const a = () => import("./b.ts");\n'],
      ["src/kernel/b.ts", 'import type { a } from "./a.ts";\nexport type B = typeof a;\n'],
    ],
    /^circle of files: src\/kernel\/a.ts src\/kernel\/b.ts$/,
  ],
  ["a sixth loose file", [["src/planted.ts", "export const planted = 1;\n"]], /^loose: .*src\/planted.ts/],
  [
    "a full folder",
    Array.from({ length: 41 }, (_one, i) => [`src/planted/f${i}.ts`, `export const f${i}x = 1;\n`] as const),
    /^full: src\/planted: 41$/,
  ],
  [
    "names that are defined twice",
    ["a", "b"].map((file) => [
      `src/planted/${file}.ts`,
      Array.from({ length: MAX_COUNTS.names + 1 }, (_one, i) => `const planted${i}name = 1;\n`).join(""),
    ]),
    /^names: defined twice: .*planted0name/,
  ],
  ["a long file", [["src/planted/a.ts", lines(501)]], /^long: src\/planted\/a.ts 501$/],
  [
    "a long function",
    [["src/planted/f.ts", `export function planted() {\n${lines(60)}}\n`]],
    /^long function: src\/planted\/f.ts:1 62 of 62$/,
  ],
  [
    "a function that hides its size in others",
    [
      [
        "src/planted/f.ts",
        `export function planted() {\n${`const b = () => {\n${lines(38)}};\n`.repeat(2)}}\n`,
      ],
    ],
    /^long function: src\/planted\/f.ts:1 4 of 82$/,
  ],
];

describe("the house rules", () => {
  it("pass on the sources", () => {
    expect(faultsOf(clean)).toEqual([]);
  });

  it.each(PLANTED)("fail on %s", (_what, files, said) => {
    const faults = faultsOf(houseOf(new Map([...sources, ...files])));
    expect(faults.filter((fault) => said.test(fault))).not.toEqual([]);
  });

  it("count a function's lines without those of nested functions", () => {
    const inner = `const b = () => {\n${lines(30)}};\n`;
    const { functions } = houseOf(new Map([["src/a.ts", `function a() {\n${inner}${lines(5)}}\n`]]));
    expect(functions.map(({ lines: own }) => own).sort((a, b) => a - b)).toEqual([8, 32]);
  });
});

it("the engine does not name any strategy kind", () => {
  const named = [...sources].filter(
    ([path, text]) => path.startsWith("src/engine/") && /grid|ladder/i.test(text),
  );
  expect(named.map(([path]) => path)).toEqual([]);
});

describe("the diagram in ARCHITECTURE.md", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const drawn = [...text.matchAll(/subgraph floor\d+\n([\s\S]*?)\n\s*end/g)].map(([, rooms = ""]) =>
    rooms.split("\n").map((room) => (room.trim() === "cli" ? "cli" : `src/${room.trim()}`)),
  );
  const floorOf = (room: string): number => drawn.findIndex((rooms) => rooms.includes(room));

  it("contains exactly the existing rooms", () => {
    expect(drawn.flat().sort()).toEqual(Object.keys(clean.arrows).sort());
  });

  it("places each room above everything that it imports", () => {
    const up = Object.entries(clean.arrows).flatMap(([room, to]) =>
      Object.keys(to)
        .filter((other) => floorOf(other) >= floorOf(room))
        .map((other) => `${room} -> ${other}`),
    );
    expect(up).toEqual([]);
  });
});
