// Entry of the binary: unpacks the installed package once for each build, and runs it from there. Runs in Bun.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import payload from "./payload.bin" with { type: "file" };
import { hash } from "./payload.json";

const LAUNCHER = "node_modules/edgemaker/cli/edgemaker.cjs";

const words = process.argv.slice(2);
// The program starts itself with a script of its own, as Node would run it: the flags of V8 have no meaning here.
const script = words.find((word) => !word.startsWith("--max-")) ?? "";
// Settings of agents' clients name the launcher of the build that wrote them, which may be gone.
const isLauncher = script.replaceAll("\\", "/").endsWith(LAUNCHER);
const isScript = isLauncher || (isAbsolute(script) && /\.[cm]?js$/.test(script) && existsSync(script));
const file = isScript && !isLauncher ? script : join(unpacked(), LAUNCHER);
process.argv = [process.execPath, file, ...(isScript ? words.slice(words.indexOf(script) + 1) : words)];
await import(file);

/** Returns the folder of this build. Several processes can start at once: each unpacks beside it, and the first one counts. */
function unpacked() {
  const folder = join(cacheFolder(), "edgemaker", hash);
  if (existsSync(folder)) return folder;
  const own = `${folder}-${process.pid}`;
  const bytes = zstdDecompressSync(readFileSync(payload));
  const length = bytes.readUInt32LE(0);
  let at = 4 + length;
  for (const [name, size, mode] of JSON.parse(bytes.subarray(4, at).toString("utf8"))) {
    const path = join(own, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes.subarray(at, at + size));
    chmodSync(path, mode);
    at += size;
  }
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === "win32") return LOCALAPPDATA ?? join(homedir(), "AppData/Local");
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}
