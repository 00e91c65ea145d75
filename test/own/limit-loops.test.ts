// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts as text.
import { runInNewContext } from "node:vm";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { COUNTED_SYNTAX, limitLoops } from "../../cli/host/worker-strategies.ts";

/** As the loader prints a file. */
const printed = (code: string): string =>
  buildSync({
    stdin: { contents: code, loader: "ts" },
    write: false,
    format: "cjs",
    supported: COUNTED_SYNTAX,
  }).outputFiles[0]?.text ?? "";

/** What `result` is, and how often a loop's condition was counted; a hundred end it. */
function ran(code: string): { readonly result: unknown; readonly steps: number } {
  let steps = 0;
  const step = () => {
    steps++;
    if (steps > 100) throw new Error("too many steps");
    return true;
  };
  const result = runInNewContext(`${limitLoops(printed(code), "step")}\n;result`, { step });
  return { result, steps };
}

it.each([
  ["for (;;);"],
  ["for (let i = 0; ; i++) { if (i < 0) break; }"],
  ["while (true);"],
  ["do {} while (1 < 2);"],
  ["const f = () => { for (let i = 0; i < 9; i--) {} }; f();"],
  ["function* all() { for (let n = 0; true; n++) yield n; } for (const n of all());"],
  ["`${(() => { while (true); })()}`;"],
  ["const o = { f() { [0, 1].forEach((i) => this.f()); } }; o.f();"],
  ["const all = [0]; all.forEach(() => all.push(0)); for (const one of all) all.push(((n) => n)(1));"],
  ["const f = (n = { a: ')' }) => f(); f();"],
  [
    "class C { #n = 0; get n() { return this['f'](); } f() { return this.n; } static [Symbol.iterator]() {} } new C().f();",
  ],
  ["function* g() { yield* g(); } [...g()];"],
])("ends %s", (code) => {
  expect(() => ran(`var result = 0; ${code}`)).toThrow("too many steps");
});

it.each([
  ["var result = 0; for (let i = 0; i < 5; i++) result += i;", 10, 6],
  ["var result = 0; while (result < 3) result++;", 3, 4],
  ["var result = 0; do result++; while (result < 3);", 3, 3],
  ["var result = 0; for (const n of [1, 2]) result += n;", 3, 0],
  ["var result = 0; for (const n in { a: 1 }) result++;", 1, 0],
  ['var result = "for (;;) while (true)";', "for (;;) while (true)", 0],
  ["var result = `while (${1 + 1}; ${`}`})`;", "while (2; })", 0],
  ["var result = 8 / 2 / 2;", 2, 0],
  ['var result = "a;b".replace(/[;/"]|while (x)/g, "-");', "a-b", 0],
  ['var result = 0; for (let i = 0, s = ";(\'"; i < s.length; i++) result += 1;', 3, 4],
  ["var result = 0; for (let i = (0, 1); (i < 3 && true) || false; i++) result++;", 2, 3],
  ["var result = 0; const o = { for: 1, while: 2 }; result = o.for + o.while;", 3, 0],
])("leaves what ends as it was: %s", (code, result, steps) => {
  expect(ran(code)).toEqual({ result, steps });
});
