import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgemaker, together } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const LISTS = ["grid", "list", "--sandbox"];

describe("a missing database folder", () => {
  it("is not created from a mistyped path when there is no terminal", async () => {
    const folder = tempFolder();
    const slip = join(folder, "trdaing", "edge.db");
    const ran = await together(folder, [
      { args: [...LISTS, "--db", `file:${slip}`] },
      { args: [...LISTS, "--db", `file:${slip}`, "--json"] },
      { args: ["serve", "--port", "0", "--sandbox", "--db", `file:${slip}`] },
      { args: ["candles", "list", "--db", `file:${slip}`] },
    ]);
    for (const { code, stdout, stderr } of ran) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`the folder ${join(folder, "trdaing")} does not exist; create it (mkdir -p`);
      expect(stderr).toContain("or correct --db");
    }
    expect(JSON.parse(ran[1]?.stderr ?? "")).toMatchObject({ error: "Usage error" });
    expect(existsSync(join(folder, "trdaing"))).toBe(false);
  });

  it("is reported with the setting that names it, unless a remote server is used", async () => {
    const folder = tempFolder();
    const over = { EDGEMAKER_DATABASE_URL: `file:${join(folder, "trdaing", "edge.db")}` };
    const here = await edgemaker(folder, LISTS, over);
    expect({ code: here.code, stderr: here.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("or correct EDGEMAKER_DATABASE_URL"),
    });
    const elsewhere = await edgemaker(folder, ["grid", "list", "--api-url", "http://127.0.0.1:9"], over);
    expect(elsewhere.stderr).not.toContain("the folder");
    expect(existsSync(join(folder, "trdaing"))).toBe(false);
  });

  it("rejects a path without file: and shows the correct form", async () => {
    const folder = tempFolder();
    const { code, stderr } = await edgemaker(folder, [...LISTS, "--db", "grid.db"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("not grid.db: for a file, file:grid.db"),
    });
  });

  it("is one of the findings that doctor reports", async () => {
    const folder = tempFolder();
    const db = `file:${join(folder, "trdaing", "edge.db")}`;
    const { code, stdout } = await edgemaker(folder, ["doctor", "--sandbox", "--json", "--db", db]);
    const { checks } = JSON.parse(stdout) as { checks: { check: string }[] };
    expect(code).toBe(1);
    expect(checks.find(({ check }) => check === "database")).toMatchObject({
      finding: "bad",
      detail: expect.stringContaining("mkdir -p"),
    });
    expect(existsSync(join(folder, "trdaing"))).toBe(false);
  });

  it("is created silently at the default location", async () => {
    const folder = tempFolder();
    const data = join(folder, "data", "edgemaker");
    const named = await edgemaker(folder, [...LISTS, "--db", `file:${join(data, "own.db")}`]);
    expect({ ...named, stdout: "" }).toMatchObject({ code: 0 });
    expect(existsSync(join(data, "own.db"))).toBe(true);
  });

  it.runIf(hasTerminal)("is created at a terminal after confirmation", async () => {
    const folder = tempFolder();
    const args = [...LISTS, "--db", `file:${join(folder, "new", "edge.db")}`];
    const refusing = terminal(folder, args, { columns: 200 });
    await refusing.until(/The folder .*new of --db does not exist\. Create it\?/);
    refusing.type("\r");
    expect(await refusing.ended).toBe(2);
    expect(existsSync(join(folder, "new"))).toBe(false);
    const wishing = terminal(folder, args, { columns: 200 });
    await wishing.until(/Create it\?/);
    wishing.type("y");
    expect(await wishing.ended).toBe(0);
    expect(existsSync(join(folder, "new", "edge.db"))).toBe(true);
  });
});
