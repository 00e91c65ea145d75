import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";

/** A copy of the tree in which rules are broken, one at a time. */
let copy = "";
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "edgemaker-lint-"));
  for (const name of ["src", "lint", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  writeFileSync(join(copy, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function lint(plants: Record<string, string>): { ok: boolean; told: string } {
  for (const [name, text] of Object.entries(plants)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    writeFileSync(join(copy, name), text);
  }
  const ran = spawnSync(join(root, "node_modules/.bin/biome"), ["lint", ...Object.keys(plants)], {
    cwd: copy,
    encoding: "utf8",
  });
  for (const name of Object.keys(plants)) writeFileSync(join(copy, name), "");
  return { ok: ran.status === 0, told: ran.stdout + ran.stderr };
}

const use = (from: string, name = "x") =>
  `import { ${name} } from "${from}";\nexport const planted = ${name};\n`;

describe("the check refuses", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ["Node in src", { "src/grid/planted.ts": use("node:fs", "readFileSync") }, /every runtime/],
    [
      "Node in an adapter",
      { "src/adapters/libsql/planted.ts": use("node:fs", "readFileSync") },
      /every runtime/,
    ],
    ["Node in a transport", { "src/transport/planted.ts": use("node:fs", "readFileSync") }, /every runtime/],
    [
      "a feature in the kernel",
      { "src/kernel/planted.ts": use("../grid/levels.ts", "ascends") },
      /imports only zod/,
    ],
    ["a library in the kernel", { "src/kernel/planted.ts": use("hono", "Hono") }, /imports only zod/],
    [
      "another feature in a feature",
      { "src/orders/planted.ts": use("../grid/levels.ts", "ascends") },
      /never import each other/,
    ],
    [
      "another feature in the controls",
      { "src/control/planted.ts": use("../grid/levels.ts", "ascends") },
      /never import each other/,
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
      "the composition in a feature",
      { "src/grid/planted.ts": use("../deps.ts", "createDeps") },
      /how it is served/,
    ],
    [
      "a transport in an adapter",
      { "src/adapters/sandbox/planted.ts": use("../../transport/run.ts", "run") },
      /does not know who asks/,
    ],
    [
      "a feature in a transport",
      { "src/transport/planted.ts": use("../grid/levels.ts", "ascends") },
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
  ])("%s", (_what, plants, told) => {
    const { ok, told: output } = lint(plants);
    expect(output).toMatch(told);
    expect(ok).toBe(false);
  });

  it("nothing in a file that keeps the rules", () => {
    expect(lint({ "src/grid/planted.ts": use("./levels.ts", "ascends") })).toMatchObject({ ok: true });
  });
});
