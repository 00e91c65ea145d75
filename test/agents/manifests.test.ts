/**
 * Files by which agents and editors find edgemaker, checked against what their readers require. Where no schema is
 * published, the documented fields are checked. All pages were read on 2026-11-30.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { faultOf } from "./schemas.mjs";

// biome-ignore lint/suspicious/noExplicitAny: the documents are what is tested.
const read = (path: string): any => JSON.parse(readFileSync(join(root, path), "utf8"));
const { mcpName, version, engines } = read("package.json");
/** What one starts on a command line: the same in each file. */
const STARTS = [`edgemaker@${version}`, "mcp", "--sandbox"];

describe("agents/manifest.json, of the bundle", () => {
  it("is valid", () => {
    expect(faultOf("bundle", read("agents/manifest.json"))).toBeUndefined();
  });

  it("would not be valid with a field that the schema does not know", () => {
    expect(faultOf("bundle", { ...read("agents/manifest.json"), publisher: "x" })).toMatch(/additional/);
  });

  it("names the versions of Node that the package supports", () => {
    expect(read("agents/manifest.json").compatibility.runtimes.node).toBe(engines.node);
  });
});

describe("agents/server.json, of the registry", () => {
  const server = read("agents/server.json");

  it("is valid against the schema that it names", () => {
    const { $id } = read("test/agents/server-2025-12-11.schema.json");
    expect(server.$schema).toBe($id);
    expect(faultOf("registry", server)).toBeUndefined();
  });

  it("would not be valid with a longer description", () => {
    expect(faultOf("registry", { ...server, description: "x".repeat(101) })).toMatch(/100/);
  });

  // modelcontextprotocol.io/registry/package-types: the registry reads `mcpName` in the published package.
  it("has the name that the package has", () => {
    expect(server.name).toBe(mcpName);
  });

  // A named argument always becomes `--flag=value`, in the schema's words; a positional one is inserted as it is.
  it("starts what the other files start", () => {
    const [{ identifier, version: packaged, packageArguments }] = server.packages;
    expect(packageArguments.every(({ type }: { readonly type: string }) => type === "positional")).toBe(true);
    const words = packageArguments.map(({ value }: { readonly value: string }) => value);
    expect([`${identifier}@${packaged}`, ...words]).toEqual(STARTS);
  });
});

describe("files of editors and coding agents", () => {
  // code.claude.com/docs/en/plugins/manifest-reference: `name` in kebab case; skills are in skills/ beside the folder.
  // geminicli.com/docs/extensions/reference: `name` in lower case with dashes, `version`.
  it.each(["agents/.claude-plugin/plugin.json", "agents/gemini-extension.json"])(
    "%s has a name and a version",
    (path) => {
      const { name, version: own, mcpServers } = read(path);
      expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(own).toBe(version);
      expect(mcpServers.edgemaker.command).toBe("npx");
      expect(mcpServers.edgemaker.args).toEqual(["--yes", ...STARTS]);
    },
  );

  // code.visualstudio.com/docs/agents/reference/mcp-configuration: `servers`, each with `type` and `command`.
  // cursor.com/docs/mcp: `mcpServers`, each with `type` and `command`.
  it.each([
    ["agents/.vscode/mcp.json", "servers"],
    ["agents/.cursor/mcp.json", "mcpServers"],
  ])("%s lists the server below %s", (path, key) => {
    expect(read(path)).toEqual({
      [key]: { edgemaker: { type: "stdio", command: "npx", args: ["--yes", ...STARTS] } },
    });
  });

  it("the context file of agents/gemini-extension.json is there", () => {
    const { contextFileName } = read("agents/gemini-extension.json");
    expect(readFileSync(join(root, "agents", contextFileName), "utf8")).toContain("edgemaker");
  });
});

// agentskills.io/specification: these fields and no others; the name is the folder's.
it("the skill has a name and a description of at most 1,024 characters", () => {
  const [, front = ""] = readFileSync(join(root, "agents/skills/edgemaker/SKILL.md"), "utf8").split("---\n");
  const fields = Object.fromEntries(
    front
      .trim()
      .split("\n")
      .map((line) => line.split(/: (.*)/)),
  );
  expect(fields.name).toBe("edgemaker");
  expect(fields.description?.length).toBeGreaterThan(0);
  expect(fields.description?.length).toBeLessThanOrEqual(1024);
  const known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
  expect(Object.keys(fields).filter((field) => !known.includes(field))).toEqual([]);
  // In YAML, a colon with a space would begin another value.
  expect(fields.description).not.toContain(": ");
});
