import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withoutLinks } from "../../cli/actions/guides.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const docs = (...topic: string[]) => edgemaker(tempFolder(), ["docs", ...topic]);

describe("edgemaker docs", () => {
  it("lists every guide with its title", async () => {
    const { stdout, code } = await docs("--json");
    expect(code).toBe(0);
    const { guides } = JSON.parse(stdout) as { guides: { topic: string; title: string }[] };
    const files = readdirSync("docs").filter((name) => name.endsWith(".md") && name !== "README.md");
    expect(guides.map(({ topic }) => `${topic}.md`).sort()).toEqual(files.sort());
    expect(guides[0]).toEqual({ topic: "tutorial", title: "Tutorial" });
  });

  it("groups the guides as the index does", async () => {
    const { stdout } = await docs();
    expect(stdout).toMatch(/Get started\n[\s\S]*tutorial +Tutorial[\s\S]*\nGrids\n[\s\S]*\nReference\n/);
  });

  it("names the command for each link on a terminal", () => {
    expect(
      withoutLinks("[a](#x), [b](limits.md), [c](grids.md#stop-prices), [d](https://e.f), [g](../G.md)"),
    ).toBe("a, b (edgemaker docs limits), c (edgemaker docs grids#stop-prices), d (https://e.f), g");
  });

  it("prints a guide, and a section of it", async () => {
    expect((await docs("limits")).stdout).toMatch(/^# Limits\n[\s\S]*Next: /);
    const { stdout } = await docs("grids#stop-prices");
    expect(stdout).toMatch(/^### Stop prices\n/);
    expect(stdout.match(/^#/gm)).toHaveLength(1);
  });

  it.each([
    ["Order unknown", /Order unknown \(Error labels\)\n500: The exchange did not confirm the order/],
    ["no_quote", /no_quote \(Reasons\)\nThere is not enough free quote/],
    ["limit_day", /limit_day \(Reasons\)\nOne of your/],
  ])("explains the code %s", async (code, meaning) => {
    expect((await docs(code)).stdout).toMatch(meaning);
  });

  it("suggests a guide for a typing error", async () => {
    const { code, stderr } = await docs("tutoral");
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean tutorial?");
  });
});
