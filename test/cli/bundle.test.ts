import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { writeBundle } from "../../cli/build/binary/bundle.mjs";
import { faultOf } from "../agents/schemas.mjs";
import { tempFolder } from "../support/temp.ts";

const FILES = {
  "node_modules/edgemaker/cli/edgemaker.cjs": "a program",
  "node_modules/edgemaker/Z.txt": "z".repeat(1000),
  "node_modules/edgemaker/a.txt": "",
};

/** A bundle of the files above, written in an order, with a time and a mode. */
function bundle(names: readonly string[], seconds: number, mode: number): Buffer {
  const [unpacked, out] = [tempFolder(), tempFolder()];
  for (const name of names) {
    const path = join(unpacked, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, FILES[name as keyof typeof FILES], { mode });
    utimesSync(path, seconds, seconds);
  }
  return readFileSync(writeBundle(unpacked, out, "windows-x64"));
}

interface Entry {
  readonly name: string;
  readonly mode: string;
  readonly time: number;
  readonly extra: number;
}

/** The list at the end of a zip, read as its specification says, without the library that wrote it. */
function entriesOf(zip: Buffer): readonly Entry[] {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06"));
  const entries: Entry[] = [];
  for (let at = zip.readUInt32LE(end + 16); at < end; ) {
    const [nameLength, extra] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const mode = (zip.readUInt32LE(at + 38) >>> 16).toString(8);
    entries.push({ name, mode, time: zip.readUInt32LE(at + 12), extra });
    at += 46 + nameLength + extra + zip.readUInt16LE(at + 32);
  }
  return entries;
}

it("is the same for the same files, whenever and by whoever they were written", () => {
  const names = Object.keys(FILES);
  const first = bundle(names, 1_700_000_000, 0o600);
  expect(bundle([...names].reverse(), 1_800_000_000, 0o777).equals(first)).toBe(true);
});

it("lists sorted names with fixed times and modes, and no extra fields", () => {
  const entries = entriesOf(bundle(Object.keys(FILES), 1_700_000_000, 0o600));
  expect(entries.map(({ name, mode }) => `${mode} ${name}`)).toEqual([
    "100644 manifest.json",
    "100644 node_modules/edgemaker/Z.txt",
    "100644 node_modules/edgemaker/a.txt",
    "100755 node_modules/edgemaker/cli/edgemaker.cjs",
  ]);
  // Noon of 1 January 1980, in the format of the zip.
  expect([...new Set(entries.map(({ time }) => time))]).toEqual([(0b0000_0000_0010_0001 << 16) | (12 << 11)]);
  expect(entries.filter(({ extra }) => extra > 0)).toEqual([]);
});

it("opens again, with a valid manifest that names the platform and a file to start", () => {
  const files = unzipSync(bundle(Object.keys(FILES), 1_700_000_000, 0o600));
  const text = (name: string) => Buffer.from(files[name] ?? []).toString("utf8");
  const manifest = JSON.parse(text("manifest.json"));
  expect(faultOf("bundle", manifest)).toBeUndefined();
  expect(manifest.compatibility.platforms).toEqual(["win32"]);
  expect(text(manifest.server.entry_point)).toBe("a program");
});
