import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it.each(["bench", "drift", "pentest", "venues"])("test/%s/run.mjs prints its flags with --help", (folder) => {
  const help = execFileSync(process.execPath, [`test/${folder}/run.mjs`, "--help"], {
    encoding: "utf8",
    timeout: 240_000,
  });
  const source = readFileSync(`test/${folder}/${folder === "venues" ? "soak" : "main"}.ts`, "utf8");
  const flags = [...source.matchAll(/^ {4}"?([a-z-]+)"?: \{ type: "(?:string|boolean)"/gm)].map(
    ([, name]) => `--${name}`,
  );
  for (const flag of flags.filter((one) => one !== "--help")) expect(help).toContain(flag);
  expect(help.split("\n").length).toBeGreaterThan(1);
});
