import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MANIFEST, recordOf, SIGNATURE, writeManifest } from "../../cli/build/manifest.mjs";
import { root } from "../support/bundle.ts";
import { makeFolder } from "../support/temp.ts";

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    secret: privateKey.export({ type: "pkcs8", format: "pem" }),
    shown: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  };
};
const [own, other] = [keyPair(), keyPair()];
const folder = makeFolder();
const [good, bad] = [join(folder.path, "good/package"), join(folder.path, "bad")];

const pack = (name: string, ...words: readonly string[]) => {
  const out = join(folder.path, name);
  execFileSync(process.execPath, [join(root, "cli/build/pack.mjs"), out, ...words], { stdio: "ignore" });
  const [tarball = ""] = readdirSync(out);
  execFileSync("tar", ["-xzf", join(out, tarball), "-C", out]);
};
const signWith = (key: string, of: string, file: string) =>
  writeFileSync(file, `${sign(null, readFileSync(join(of, MANIFEST)), key).toString("base64")}\n`);

beforeAll(() => {
  pack("unsigned");
  const file = join(folder.path, "signature");
  signWith(own.secret as string, join(folder.path, "unsigned/package"), file);
  pack("good", file);
});
afterAll(() => folder.remove());

interface Verdict {
  readonly version: string;
  readonly commit: string;
  readonly signedBy: string;
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  readonly valid: boolean;
  readonly problems: readonly string[];
}

/** What the untouched program says of a folder. */
function verdictOf(of: string, ...flags: readonly string[]): Verdict & { readonly code: number | null } {
  const command = [join(good, "cli/edgemaker.cjs"), "verify", of, "--json", ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder.path },
  });
  return stdout === ""
    ? { code: status, version: "", commit: "", signedBy: "", files: [], valid: false, problems: [stderr] }
    : { code: status, ...JSON.parse(stdout) };
}

const change = (file: string, edit: (bytes: Buffer) => Uint8Array | string) =>
  writeFileSync(join(bad, file), edit(readFileSync(join(bad, file))));
const withByte = (at: number, by: number) => (bytes: Buffer) => {
  if (at >= bytes.length) throw new Error(`the file has no byte ${at}`);
  bytes[at] = (bytes[at] as number) ^ by;
  return bytes;
};
const PROGRAM = "dist/program/main.js";
const MIGRATION = "drizzle/0000_tables.sql";
const edited = (edit: (text: string) => string) => (bytes: Buffer) => edit(bytes.toString("utf8"));
const signAgain = (key: string) => {
  writeManifest(bad, { name: "edgemaker", version: "9.9.9", commit: "0".repeat(40) });
  signWith(key, bad, join(bad, SIGNATURE));
};

const TAMPERED: readonly (readonly [string, () => void, RegExp])[] = [
  [
    "one bit of the program",
    () => change(PROGRAM, withByte(12, 1)),
    /main\.js: byte 12 is 0x\w\w, not 0x\w\w/,
  ],
  ["the first byte", () => change(PROGRAM, withByte(0, 0x80)), /main\.js: byte 0 is/],
  [
    "one bit of a compressed file",
    () => change("dist/program/page/icon.svg", withByte(40, 4)),
    /icon\.svg: byte 40 is/,
  ],
  [
    "one letter of the launcher",
    () => change("cli/edgemaker.cjs", withByte(30, 2)),
    /edgemaker\.cjs: byte 30 is/,
  ],
  [
    "one byte of the library",
    () => change("dist/library/index.js", withByte(9, 1)),
    /library\/index\.js: byte 9 is/,
  ],
  [
    "one byte of the Worker",
    () => change("dist/worker-program/worker.js", withByte(500_000, 1)),
    /worker\.js: byte 500000 is/,
  ],
  [
    "two bytes",
    () => change(PROGRAM, (bytes) => withByte(9, 1)(withByte(99, 1)(bytes))),
    /more than one byte differs; sha256/,
  ],
  [
    "two bytes that change places",
    () =>
      change(
        "LICENSE",
        edited((text) => text.replace("MIT", "MTI")),
      ),
    /LICENSE: more than one byte differs/,
  ],
  ["a byte more", () => appendFileSync(join(bad, PROGRAM), "\n"), /main\.js: \d+ bytes, not \d+/],
  ["a byte less", () => change(PROGRAM, (bytes) => bytes.subarray(1)), /main\.js: \d+ bytes, not \d+/],
  [
    "ends of lines",
    () =>
      change(
        "CHANGELOG.md",
        edited((text) => text.replaceAll("\n", "\r\n")),
      ),
    /CHANGELOG\.md: \d+ bytes/,
  ],
  ["a file that is empty", () => change(PROGRAM, () => ""), /main\.js: 0 bytes/],
  ["a file that is missing", () => rmSync(join(bad, PROGRAM)), /main\.js: missing/],
  [
    "a file more",
    () => writeFileSync(join(bad, "dist/program/evil.js"), "1"),
    /evil\.js: not in the manifest/,
  ],
  [
    "a migration more",
    () => writeFileSync(join(bad, "drizzle/9999_evil.sql"), "drop table orders"),
    /9999_evil\.sql: not in/,
  ],
  [
    "another name",
    () => renameSync(join(bad, "SECURITY.md"), join(bad, "security.md")),
    /SECURITY\.md: missing[\s\S]*security\.md: not in/,
  ],
  [
    "two files that change places",
    () => {
      renameSync(join(bad, "LICENSE"), join(bad, "held"));
      renameSync(join(bad, "SECURITY.md"), join(bad, "LICENSE"));
      renameSync(join(bad, "held"), join(bad, "SECURITY.md"));
    },
    /LICENSE: \d+ bytes[\s\S]*SECURITY\.md: \d+ bytes/,
  ],
  [
    "a link to an equal file",
    () => {
      rmSync(join(bad, PROGRAM));
      symlinkSync(join(good, PROGRAM), join(bad, PROGRAM));
    },
    /main\.js: not a file/,
  ],
  [
    "a pointer to another program",
    () => {
      cpSync(join(bad, "dist/program"), join(bad, "dist/evil"), { recursive: true });
      writeFileSync(join(bad, "dist/current"), "evil");
    },
    /dist\/current: 4 bytes, not 7[\s\S]*evil\/main\.js: not in the manifest/,
  ],
  [
    "a script that runs at install",
    () =>
      change(
        "package.json",
        edited((text) => text.replace('"type"', '"scripts": {"postinstall": "evil"},\n  "type"')),
      ),
    /package\.json: \d+ bytes/,
  ],
  [
    "a hash of the manifest for a changed file",
    () => {
      change(PROGRAM, withByte(1, 1));
      change(
        MANIFEST,
        edited((text) => {
          const manifest = JSON.parse(text);
          manifest.files[PROGRAM] = recordOf(readFileSync(join(bad, PROGRAM)));
          return `${JSON.stringify(manifest, null, 1)}\n`;
        }),
      );
    },
    /the signature of the manifest is not of this key/,
  ],
  [
    "the commit of the manifest",
    () =>
      change(
        MANIFEST,
        edited((text) => text.replace(/"commit": "./, '"commit": "x')),
      ),
    /not of this key/,
  ],
  ["a manifest without a signature", () => rmSync(join(bad, SIGNATURE)), /the manifest is not signed/],
  ["a manifest that another key has signed", () => signAgain(other.secret as string), /not of this key/],
  ["a manifest that is no JSON", () => writeFileSync(join(bad, MANIFEST), "{"), /is not a manifest/],
  ["a migration's one byte", () => change(MIGRATION, withByte(3, 1)), /byte 3 is/],
];

describe("edgemaker verify", () => {
  it("names the version, the commit and the hash of each file of an untouched package", () => {
    const verdict = verdictOf(good, "--key", own.shown);
    expect(verdict).toMatchObject({
      code: 0,
      valid: true,
      problems: [],
      signedBy: own.shown,
      version: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version,
      commit: expect.stringMatching(/^[0-9a-f]{40}(\+changes)?$/),
    });
    const { sha256 } = recordOf(readFileSync(join(good, PROGRAM)));
    expect(verdict.files).toContainEqual({ file: PROGRAM, sha256 });
    expect(verdict.files.length).toBeGreaterThan(100);
  });

  it("does not mind packages beside it, nor Node's cache, and checks no signature without a key", () => {
    cpSync(good, bad, { recursive: true });
    mkdirSync(join(bad, "node_modules/zod"), { recursive: true });
    writeFileSync(join(bad, "node_modules/zod/index.js"), "");
    mkdirSync(join(bad, "dist/program/compiled"), { recursive: true });
    writeFileSync(join(bad, "dist/program/compiled/v1"), "");
    expect(verdictOf(bad)).toMatchObject({ code: 0, problems: [], signedBy: "not checked: add --key" });
    rmSync(bad, { recursive: true });
  });

  it.each(TAMPERED)("sees %s", (_what, tamper, problem) => {
    cpSync(good, bad, { recursive: true });
    try {
      tamper();
      const { code, valid, problems } = verdictOf(bad, "--key", own.shown);
      expect({ code, valid }).toEqual({ code: 1, valid: false });
      expect(problems.join("\n")).toMatch(problem);
    } finally {
      rmSync(bad, { recursive: true });
    }
  });

  it("reads the signature beside the manifest, whatever the two are called", () => {
    const beside = join(folder.path, "manifest.json of a release");
    mkdirSync(beside);
    cpSync(join(good, MANIFEST), join(beside, "published.json"));
    cpSync(join(good, SIGNATURE), join(beside, SIGNATURE));
    expect(verdictOf(good, "--manifest", join(beside, "published.json"), "--key", own.shown)).toMatchObject({
      code: 0,
      problems: [],
      signedBy: own.shown,
    });
  });

  it("refuses a folder without a manifest, and a key that is none", () => {
    expect(verdictOf(root)).toMatchObject({
      code: 2,
      problems: [expect.stringContaining("this is no package")],
    });
    expect(verdictOf(good, "--key", "abc").code).toBe(2);
  });
});
