import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildBinaries, writePayload } from "../../cli/build/binary/binary.mjs";
import { unpackInto } from "../../cli/build/binary/unpack.mjs";
import { tempFolder } from "../support/temp.ts";

const PROGRAM = "node_modules/edgemaker/bin/main.js";
const EMPTY = "node_modules/edgemaker/empty.json";

/** A payload of two files, the folder of a cache for it, and how often it was unpacked. */
function build() {
  const work = tempFolder();
  mkdirSync(join(work, "node_modules/edgemaker/bin"), { recursive: true });
  writeFileSync(join(work, PROGRAM), "a program");
  writeFileSync(join(work, EMPTY), "");
  writePayload(work, work);
  const folder = join(work, "cache/build");
  const counts = { unpacked: 0 };
  const unpack = () =>
    unpackInto(folder, () => {
      counts.unpacked++;
      return readFileSync(join(work, "payload.bin"));
    });
  return { folder, counts, unpack, cache: join(work, "cache") };
}

describe("the cache of the binary", () => {
  it("is written once, with the mode of each file", () => {
    const { folder, counts, unpack, cache } = build();
    for (let start = 0; start < 3; start++) unpack();
    expect(counts.unpacked).toBe(1);
    expect(readFileSync(join(folder, PROGRAM), "utf8")).toBe("a program");
    expect(statSync(join(folder, PROGRAM)).mode & 0o777).toBe(0o755);
    expect(readdirSync(cache)).toEqual(["build"]);
  });

  it.each<readonly [string, (folder: string) => void]>([
    ["a file", (folder) => rmSync(join(folder, PROGRAM))],
    ["a part of a file", (folder) => writeFileSync(join(folder, PROGRAM), "a pro")],
    ["an empty file", (folder) => rmSync(join(folder, EMPTY))],
    ["its list", (folder) => rmSync(join(folder, "files.json"))],
    ["a part of its list", (folder) => writeFileSync(join(folder, "files.json"), '[["node_mod')],
    ["all files", (folder) => rmSync(join(folder, "node_modules"), { recursive: true })],
  ])("is written again when it has lost %s", (_what, lose) => {
    const { folder, counts, unpack, cache } = build();
    unpack();
    lose(folder);
    unpack();
    unpack();
    expect(counts.unpacked).toBe(2);
    expect(readFileSync(join(folder, PROGRAM), "utf8")).toBe("a program");
    expect(statSync(join(folder, EMPTY)).size).toBe(0);
    expect(readdirSync(cache)).toEqual(["build"]);
  });

  it("leaves nothing behind if it cannot be written", () => {
    const { folder, cache } = build();
    expect(() => unpackInto(folder, () => Buffer.from("no payload"))).toThrow(/./);
    mkdirSync(cache, { recursive: true });
    expect(readdirSync(cache)).toEqual([]);
  });
});

it("a binary that cannot be made fails the build, after the others were tried", () => {
  const said: string[] = [];
  const folder = tempFolder();
  const make = () =>
    buildBinaries(join(folder, "none.tgz"), folder, undefined, (line: string) => said.push(line));
  expect(make).toThrow("not made: linux-x64, linux-arm64, darwin-arm64, windows-x64");
  expect(said).toHaveLength(4);
  const program = join(import.meta.dirname, "../../cli/build/binary/binary.mjs");
  expect(() => execFileSync(process.execPath, [program, "none.tgz", folder], { stdio: "ignore" })).toThrow(
    /./,
  );
});
