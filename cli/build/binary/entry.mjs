// Entry of the binary: unpacks the installed package once for each build, and runs it from there. Runs in Bun.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import payload from "./payload.bin" with { type: "file" };
import { hash } from "./payload.json";
import { unpackInto } from "./unpack.mjs";

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

/** Returns the folder of this build, with all its files. */
function unpacked() {
  const folder = join(cacheFolder(), "edgemaker", hash);
  unpackInto(folder, () => readFileSync(payload));
  return folder;
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === "win32") return LOCALAPPDATA ?? join(homedir(), "AppData/Local");
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}
