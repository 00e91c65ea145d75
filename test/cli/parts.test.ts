import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { currentBundle } from "../../cli/build/build.mjs";
import { loadBundle } from "../../cli/build/code-cache.cjs";
import { partFiles } from "../../cli/build/parts.mjs";
import { tempFolder } from "../support/temp.ts";

/** Files that hold no parts. */
const WHOLE = ["help.cjs", "open-telemetry.cjs"];

/** What a file's parts give others, and change within their functions: others took it before. */
function changedLater(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let given: ReadonlySet<string> = new Set();
  const enter = () => depth++;
  const leave = () => depth--;
  const change = (target: { readonly type: string; readonly name?: string }) => {
    if (depth > 1 && target.type === "Identifier" && given.has(target.name ?? ""))
      found.push(target.name ?? "");
  };
  const visitor = new Visitor({
    FunctionExpression(node) {
      // The function of a part: its last statement gives.
      if (depth++ > 0) return;
      const last = node.body?.body.at(-1);
      const values =
        last?.type === "ReturnStatement" && last.argument?.type === "ObjectExpression"
          ? last.argument.properties
          : [];
      given = new Set(
        values.map((one) =>
          one.type === "Property" && one.value.type === "Identifier" ? one.value.name : "",
        ),
      );
    },
    "FunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    AssignmentExpression: ({ left }) => change(left),
    UpdateExpression: ({ argument }) => change(argument),
  });
  visitor.visit(parseSync("part.cjs", text).program);
  return found;
}

it("gives no name of a part that changes after others took it", async () => {
  const folder = dirname(await currentBundle());
  const files = readdirSync(folder).filter((name) => name.endsWith(".cjs") && !WHOLE.includes(name));
  expect(files).toContain("main.cjs");
  expect(files.flatMap((name) => changedLater(readFileSync(join(folder, name), "utf8")))).toEqual([]);
});

it("would tell one that does", () => {
  const part = (inner: string) =>
    `({one: function (load) { var count = 0; ${inner} return { count, of: add }; }})`;
  expect(changedLater(part("function add() { count++; }"))).toEqual(["count"]);
  expect(changedLater(part("const add = () => { count = 2; };"))).toEqual(["count"]);
  expect(changedLater(part("count = 1; function add() { let other = 0; other = 2; }"))).toEqual([]);
});

it("leaves a part its own names, whatever it is given", async () => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, "main.mjs"),
    `function load(one) { return "own " + one; }
    function later(one) { return load(one); }
    export const runCommandLine = async () => later((await import("./other.mjs")).word);`,
  );
  writeFileSync(join(folder, "other.mjs"), `export const word = "word";`);
  const split = await build({
    entryPoints: { main: join(folder, "main.mjs") },
    ...{ bundle: true, splitting: true, format: "esm", write: false, metafile: true, outdir: folder },
    minifyWhitespace: true,
  });
  const files = await partFiles(split, "main", []);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.cjs`), text);
  const { runCommandLine } = loadBundle(join(folder, "main.cjs"), "grid");
  expect(await runCommandLine([])).toBe("own word");
});
