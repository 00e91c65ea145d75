import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";

const use = (from: string, name = "x") =>
  `import { ${name} } from "${from}";\nexport const planted = ${name};\n`;

/** What is planted, and what the check has to say of it. */
const BROKEN: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  [
    "an adapter in a folder that is new",
    { "src/planted/rule.ts": use("../adapters/libsql/store.ts", "createStore") },
    /ports, not adapters/,
  ],
  [
    "an await in a folder that is new",
    { "src/planted/rule.ts": "export const planted = async () => await Promise.resolve(1);\n" },
    /may await/,
  ],
  [
    "the clock in a report",
    { "src/report/planted.ts": "export const planted = () => Date.now();\n" },
    /Time is an argument/,
  ],
  [
    "hono's own effects in the page",
    { "src/web/planted.ts": use("hono/jsx/dom", "useEffect") },
    /runs what was overtaken/,
  ],
  ["Node in src", { "src/grid/planted.ts": use("node:fs", "readFileSync") }, /every runtime/],
  [
    "Node in an adapter",
    { "src/adapters/libsql/planted.ts": use("node:fs", "readFileSync") },
    /every runtime/,
  ],
  ["Node in a transport", { "src/transport/planted.ts": use("node:fs", "readFileSync") }, /every runtime/],
  [
    "a feature in the kernel",
    { "src/kernel/planted.ts": use("../grid/ladder/levels.ts", "ascends") },
    /imports only zod/,
  ],
  ["a library in the kernel", { "src/kernel/planted.ts": use("hono", "Hono") }, /imports only zod/],
  [
    "another feature in a feature",
    { "src/orders/planted.ts": use("../grid/ladder/levels.ts", "ascends") },
    /never import each other/,
  ],
  [
    "another feature in the controls",
    { "src/controls/planted.ts": use("../grid/ladder/levels.ts", "ascends") },
    /never import each other/,
  ],
  [
    "a feature in the engine",
    { "src/engine/planted.ts": use("../orders/prepare.ts", "prepare") },
    /knows no feature/,
  ],
  [
    "an adapter in a feature",
    { "src/market/planted.ts": use("../adapters/libsql/store.ts", "createStore") },
    /ports, not adapters/,
  ],
  [
    "a transport in a feature",
    { "src/account/planted.ts": use("../transport/run.ts", "run") },
    /how it is served/,
  ],
  ["a library in a feature", { "src/grid/planted.ts": use("drizzle-orm", "sql") }, /ports, not libraries/],
  [
    "an adapter in a store",
    { "src/notify/store/planted.ts": use("../../adapters/libsql/store.ts", "createStore") },
    /not adapters/,
  ],
  [
    "another feature in a store",
    { "src/notify/store/planted-b.ts": use("../../grid/ladder/levels.ts", "ascends") },
    /never import each other/,
  ],
  [
    "the composition in a feature",
    { "src/grid/planted.ts": use("../compose/deps.ts", "createDeps") },
    /how it is served/,
  ],
  [
    "a transport in an adapter",
    { "src/adapters/sandbox/planted.ts": use("../../transport/run.ts", "run") },
    /does not know who asks/,
  ],
  [
    "an adapter in the storage",
    { "src/storage/planted.ts": use("../adapters/libsql/store.ts", "createStore") },
    /does not know who stores/,
  ],
  [
    "a feature in a transport",
    { "src/transport/planted.ts": use("../grid/ladder/levels.ts", "ascends") },
    /not features/,
  ],
  [
    "an adapter in a transport",
    { "src/transport/planted.ts": use("../adapters/libsql/store.ts", "createStore") },
    /not adapters/,
  ],
  [
    "a circle",
    {
      "src/grid/planted-a.ts": `${use("./planted-b.ts", "b")}export const a = 1;\n`,
      "src/grid/planted-b.ts": `${use("./planted-a.ts", "a")}export const b = 1;\n`,
    },
    /cycle/,
  ],
  [
    "the clock in a rule",
    { "src/grid/planted.ts": "export const now = () => Date.now();\n" },
    /Time is an argument/,
  ],
  [
    "a request in a rule",
    { "src/grid/planted.ts": 'export const ask = () => fetch("/");\n' },
    /asks nothing/,
  ],
  [
    "chance in a rule",
    { "src/grid/planted.ts": "export const draw = () => Math.random();\n" },
    /Chance is an argument/,
  ],
  ["all of zod", { "src/market/planted.ts": use("zod", "z") }, /Import \* as z/],
  ...["{ a, ...{ b } }", "[...[a, b]]", "Math.max(...[a, b])", '[...(["a", "b"] as const)]'].map(
    (literal): [string, Record<string, string>, RegExp] => [
      `a literal in a literal: ${literal}`,
      { "test/grid/planted.ts": `export const planted = (a: number, b: number) => [a, b, ${literal}];\n` },
      /outer literal/,
    ],
  ),
  [
    "chance in an adapter",
    { "src/adapters/libsql/planted.ts": "export const draw = () => Math.random();\n" },
    /Chance is an argument/,
  ],
  [
    "crypto in a rule",
    { "src/kernel/planted.ts": "export const id = () => crypto.randomUUID();\n" },
    /Chance is an argument/,
  ],
  [
    "an await in a rule",
    { "src/grid/planted.ts": "export const wait = async (one: Promise<number>) => (await one) + 1;\n" },
    /pure function/,
  ],
  ...[
    "Number(text(price)) * 2",
    'Number.parseFloat("1.5")',
    'parseFloat("1.5")',
    "wire(price) * 1.001",
    "2 / wire(price)",
    "wire(price) - wire(price)",
  ].map((float): [string, Record<string, string>, RegExp] => [
    `money as a float: ${float}`,
    {
      "src/grid/planted.ts": `import { text, wire } from "../kernel/decimal.ts";\nexport const planted = (price: bigint) => [${float}, text(price), wire(price)];\n`,
    },
    /Money is a Decimal/,
  ]),
  [
    "the environment in src",
    { "src/transport/planted.ts": "export const token = process.env.TOKEN;\n" },
    /Only a root/,
  ],
];

const KEPT = { "src/grid/ladder/kept.ts": use("./levels.ts", "ascends") };

/** Each case in files of its own, so that one look of the check finds them all. */
const named = (place: number, text: string): string => text.replaceAll("planted", `planted${place}`);
const PLANTS = BROKEN.map(([, plants], place) =>
  Object.fromEntries(Object.entries(plants).map(([name, text]) => [named(place, name), named(place, text)])),
);

describe("the static check", () => {
  let result: Readonly<Record<string, string>> = {};
  /** A copy of the tree in which rules are broken. */
  let copy = "";
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "edgemaker-lint-"));
    for (const name of ["src", "lint", "package.json", "tsconfig.json"])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
    writeFileSync(join(copy, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
    result = lint(copy, Object.assign({}, KEPT, ...PLANTS));
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it.each(BROKEN.map(([what, , expected], place) => ({ what, expected, plants: PLANTS[place] ?? {} })))(
    "refuses $what",
    ({ expected, plants }) => {
      const of = Object.keys(plants).map((name) => result[name] ?? "");
      expect(of.join("\n")).toMatch(expected);
    },
  );

  it("accepts a file that follows the rules", () => {
    expect(Object.keys(KEPT).filter((name) => result[name])).toEqual([]);
  });
});

/** Errors of the check by the file in which they stand. */
function lint(folder: string, plants: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, text] of Object.entries(plants)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { stdout, stderr, status } = spawnSync(
    join(root, "node_modules/.bin/biome"),
    ["lint", "--max-diagnostics=none", ...Object.keys(plants)],
    { cwd: folder, encoding: "utf8" },
  );
  expect(status).toBe(1);
  const found: Record<string, string> = {};
  // Each begins with the place where it stands and a rule across the screen; what only warns has no cross.
  for (const part of `${stdout}${stderr}`.split(/^(?=\S.*━$)/m)) {
    if (!part.includes("×")) continue;
    const [, file = ""] = /^([^:\s]+)/.exec(part) ?? [];
    found[file] = `${found[file] ?? ""}${part}`;
  }
  return found;
}
