import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packageFolder } from "../../cli/host/directories.ts";
import { tempFolder } from "../support/temp.ts";

/** A checkout that nothing was built in. */
function checkout(names = ["package.json", "wrangler.toml", "drizzle", "cli", "src"]) {
  const folder = tempFolder();
  for (const name of names) cpSync(join(packageFolder(), name), join(folder, name), { recursive: true });
  symlinkSync(join(packageFolder(), "node_modules"), join(folder, "node_modules"));
  const source = join(folder, "cli/command-line.ts");
  const run = () =>
    promisify(execFile)(process.execPath, [join(folder, "cli/edgemaker.cjs"), "grid"], {
      env: { PATH: process.env.PATH, HOME: folder },
    });
  return {
    /** What a group of commands says when none of them is named. */
    readOutput: (): Promise<string> =>
      run().then(
        () => "nothing was wrong",
        ({ stderr }: { stderr: string }) => stderr,
      ),
    bundle: () => join(folder, "dist", readFileSync(join(folder, "dist/current"), "utf8")),
    change(from: string, to: string) {
      const text = readFileSync(source, "utf8");
      expect(text).toContain(from);
      writeFileSync(source, text.replace(from, to));
    },
  };
}

it("the command builds the sources once and rebuilds them after a change", async () => {
  const { readOutput, bundle, change } = checkout();
  expect(await readOutput()).toMatch(/^edgemaker: name a sub-command of grid\n/);
  const first = bundle();
  expect(await readOutput()).toMatch(/^edgemaker: name a sub-command of grid\n/);
  expect(bundle()).toBe(first);
  change("name a sub-command of", "say which of");
  expect(await readOutput()).toMatch(/^edgemaker: say which of grid\n/);
  const second = bundle();
  expect(second).not.toBe(first);

  writeFileSync(join(second, "main.js"), 'throw new Error("a broken bundle")');
  expect(await readOutput()).toContain("a broken bundle");
  change("say which of", "tell which of");
  expect(await readOutput()).toMatch(/^edgemaker: tell which of grid\n/);
});

it("the command explains how to continue when it has neither a build nor sources", async () => {
  const { readOutput } = checkout(["package.json", "cli"]);
  expect(await readOutput()).toContain("the folder dist is missing; reinstall edgemaker");
});
