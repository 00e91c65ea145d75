// Makes one file that needs no Node: node cli/build/binary/binary.mjs PACKAGE.tgz FOLDER [TARGET…]
// It consists of Bun, and of the packed package with its libSQL and esbuild. `npm run runtimes` installs Bun.
// The same parts, without Bun, are the bundle for clients of MCP.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync } from "node:zlib";
import { root } from "../current.cjs";
import { modeOf, moduleFiles, writeBundle } from "./bundle.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Packages for each target, of the two lock files: they carry the hashes. */
export const TARGETS = {
  "linux-x64": { bun: "bun-linux-x64", libsql: "linux-x64-gnu", esbuild: "linux-x64" },
  "linux-arm64": { bun: "bun-linux-aarch64", libsql: "linux-arm64-gnu", esbuild: "linux-arm64" },
  "darwin-arm64": { bun: "bun-darwin-aarch64", libsql: "darwin-arm64", esbuild: "darwin-arm64" },
  "windows-x64": { bun: "bun-windows-x64", libsql: "win32-x64-msvc", esbuild: "win32-x64" },
};
/** What libSQL requires, the same on each platform. */
const SHARED = ["libsql", "@neon-rs/load", "detect-libc"];
const RUNTIMES = join(root, "test/runtimes");

/** Writes the binary and the bundle of a target into a folder, and returns their paths. Throws an Error if a part of it cannot be had. */
export function buildBinary(tarball, folder, target) {
  const { bun, libsql, esbuild } = TARGETS[target];
  const work = mkdtempSync(join(tmpdir(), "edgemaker-binary-"));
  try {
    const modules = join(work, "unpacked/node_modules");
    mkdirSync(join(modules, "edgemaker"), { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(modules, "edgemaker")]);
    for (const name of SHARED) copyPackage(root, name, modules, work);
    for (const name of [`@libsql/${libsql}`, `@esbuild/${esbuild}`]) copyPackage(root, name, modules, work);
    const base = join(work, "base");
    copyPackage(RUNTIMES, `@oven/${bun}`, base, work);
    writePayload(join(work, "unpacked"), work);
    for (const part of ["entry.mjs", "unpack.mjs"]) cpSync(join(here, part), join(work, part));
    mkdirSync(folder, { recursive: true });
    const bundle = writeBundle(join(work, "unpacked"), folder, target);
    const isWindows = target.startsWith("windows");
    const outfile = resolve(folder, `edgemaker-${target}${isWindows ? ".exe" : ""}`);
    const program = join(base, "@oven", bun, "bin", isWindows ? "bun.exe" : "bun");
    const words = ["build", "--compile", "--target", `bun-${target}`, "--no-compile-autoload-dotenv"];
    execFileSync(
      hostBun(),
      // Without package.json files it would not find the main files of packages.
      [
        ...words,
        "--no-compile-autoload-bunfig",
        "--compile-autoload-package-json",
        "--compile-executable-path",
        program,
        "--outfile",
        outfile,
        "entry.mjs",
      ],
      {
        cwd: work,
        stdio: ["ignore", "ignore", "pipe"],
        env: { PATH: process.env.PATH, HOME: work, TMPDIR: work },
      },
    );
    chmodSync(outfile, 0o755);
    return { binary: outfile, bundle };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Bun of this machine: it builds the binary of each target. */
const hostBun = () =>
  join(
    RUNTIMES,
    "node_modules/@oven",
    `bun-${process.platform}-${process.arch.replace("arm64", "aarch64")}`,
    "bin/bun",
  );

/** Copies an installed package, or fetches the one of another platform and compares it with the lock file's hash. */
function copyPackage(from, name, modules, work) {
  const installed = join(from, "node_modules", name);
  if (existsSync(installed)) return cpSync(installed, join(modules, name), { recursive: true });
  const { packages } = JSON.parse(readFileSync(join(from, "package-lock.json"), "utf8"));
  const locked = packages[`node_modules/${name}`];
  if (!locked) throw new Error(`${name} is in no lock file`);
  const words = ["pack", "--silent", `${name}@${locked.version}`, "--pack-destination", work];
  const file = execFileSync("npm", words, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 300_000,
  }).trim();
  const bytes = readFileSync(join(work, file));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (integrity !== locked.integrity)
    throw new Error(`${name}@${locked.version} is not the one of the lock file`);
  mkdirSync(join(modules, name), { recursive: true });
  execFileSync("tar", ["-xzf", join(work, file), "--strip-components=1", "-C", join(modules, name)]);
}

/** Writes all files as one, each with its mode, which does not depend on the user's mask. */
export function writePayload(folder, work) {
  const files = moduleFiles(folder);
  const parts = files.map((name) => readFileSync(join(folder, name)));
  const head = Buffer.from(
    JSON.stringify(files.map((name, index) => [name, parts[index].length, modeOf(name)])),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const bytes = zstdCompressSync(Buffer.concat([length, head, ...parts]), {
    params: { [constants.ZSTD_c_compressionLevel]: 22, [constants.ZSTD_c_windowLog]: 26 },
  });
  writeFileSync(join(work, "payload.bin"), bytes);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  writeFileSync(join(work, "payload.json"), JSON.stringify({ hash }));
}

/** Makes the binaries, and says of each what it is or why there is none. Throws an Error if one of them was not made. */
export function buildBinaries(tarball, folder, targets = Object.keys(TARGETS), say = console.log) {
  const missing = targets.filter((target) => {
    try {
      const { binary, bundle } = buildBinary(tarball, folder, target);
      const [size, bundleSize] = [binary, bundle].map((file) => (statSync(file).size / 1e6).toFixed(1));
      say(`${target}: ${size} MB, bundle ${bundleSize} MB`);
      return false;
    } catch (error) {
      say(`${target}: NOT MADE, ${String(error.message).split("\n")[0]}`);
      return true;
    }
  });
  if (missing.length > 0) throw new Error(`not made: ${missing.join(", ")}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tarball, folder, ...targets] = process.argv.slice(2);
  buildBinaries(resolve(tarball), resolve(folder), targets.length > 0 ? targets : undefined);
}
