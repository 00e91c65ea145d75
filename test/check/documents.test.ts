import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");
const documents = tracked.filter((name) => name.endsWith(".md"));

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, "");

/** The names by which a page's headings are linked, as GitHub makes them. */
const headingsOf = (name: string): readonly string[] =>
  withoutCode(readFileSync(join(root, name), "utf8"))
    .split("\n")
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, "")
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    );

describe.each(documents)("%s", (name) => {
  const text = readFileSync(join(root, name), "utf8");

  it("names only files that exist", () => {
    const named = [...text.matchAll(/`((?:src|cli|test|drizzle|docs|lint|\.ci)\/[\w./*-]*)`/g)].map(
      ([, path]) => path as string,
    );
    expect(named.filter((path) => !existsSync(join(root, path.replace(/\*.*$/, ""))))).toEqual([]);
  });

  it("names only definitions that stand in the named file", () => {
    const named = [...text.matchAll(/`(\w+)`\s+in\s+`((?:src|cli|test)\/[\w./-]+\.(?:tsx?|json))`/g)];
    const missing = named.filter(
      ([, word = "", path = ""]) => !readFileSync(join(root, path), "utf8").includes(word),
    );
    expect(missing.map(([whole]) => whole)).toEqual([]);
  });

  it("links only to files and headings that exist", () => {
    // The README of the package stands in the root of the package.
    const folder = name === "cli/build/package-readme.md" ? "" : dirname(name);
    const links = [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
      ([, link]) => link as string,
    );
    const dead = links.filter((link) => {
      const [path = "", heading] = link.split("#");
      const target = path === "" ? name : join(folder, path);
      if (!existsSync(join(root, target))) return true;
      return heading !== undefined && target.endsWith(".md") && !headingsOf(target).includes(heading);
    });
    expect(dead).toEqual([]);
  });

  it("names only scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script as string);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});

it("the README can be read in one go", () => {
  expect(readFileSync(join(root, "README.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

it("no file of the project names a machine's path or a registry", () => {
  const bad = /\/(?:root|home)\/\w+|\/work\/|registry\.npmjs/;
  const files = tracked.filter(
    (name) => /\.(ts|mjs|json|toml|md|sql|grit)$/.test(name) && !name.endsWith("package-lock.json"),
  );
  expect(
    files.filter(
      (name) => bad.test(readFileSync(join(root, name), "utf8")) && !name.endsWith("documents.test.ts"),
    ),
  ).toEqual([]);
});

/** Claims without an exception, and where their conditions stand. */
const CLAIMS: readonly (readonly [RegExp, RegExp])[] = [
  [/exactly once/i, /#what-happens-beyond-the-bounds/],
  [/\b(?:balance|booked) exactly\b|exact ledger/i, /#what-happens-beyond-the-bounds/],
  [/live code|functions that trade/i, /#how-accurate-it-is/],
];

it.each(documents.filter((name) => !/CHANGELOG|docs\/(?:adr\/|README)/.test(name)))(
  "%s links each absolute claim to its conditions",
  (name) => {
    const paragraphs = readFileSync(join(root, name), "utf8").split(/\n\n|\n(?=- )/);
    const bare = CLAIMS.flatMap(([claim, conditions]) =>
      paragraphs.filter((paragraph) => claim.test(paragraph) && !conditions.test(paragraph)),
    );
    expect(bare).toEqual([]);
  },
);
