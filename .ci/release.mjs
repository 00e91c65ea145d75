// Makes the files of a release, and with --dry proves them without a network: node .ci/release.mjs [--dry] [--all]
// Without --dry, dist/release gets what the release workflow publishes, after `npm run supply`; --all makes the binaries of other
// platforms too, and --signature FILE puts a signature of the manifest into the package.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { unzipSync } from "fflate";
import { buildBinaries } from "../cli/build/binary/binary.mjs";
import { faultOf } from "../test/agents/schemas.mjs";
import { runImage, whyNoNamespaces } from "./image.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const runtimes = join(root, "test/runtimes/node_modules");
const isDry = process.argv.includes("--dry");
const own = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const { version, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const work = mkdtempSync(join(tmpdir(), "edgemaker-release-"));
const NODES = {
  "Node 22": join(runtimes, "node-22/bin/node"),
  "Node 24": process.execPath,
  "Node 26": join(runtimes, "node-26/bin/node"),
};
/** Packages that an install on this platform needs, from this checkout: nothing comes from a network. */
const NEEDED = [
  "libsql",
  "@neon-rs/load",
  "detect-libc",
  "zod",
  `@libsql/${process.platform}-${process.arch}-gnu`,
].concat(`@esbuild/${process.platform}-${process.arch}`);
const MAX_INSTALL_MB = 60;
const MAX_BINARY_MB = 120;
/** How long it takes is printed, not judged: it depends on the machine. */
const MAX_SECONDS_TO_FILL = 600;
/** A call of npm, or the start of the registry, that takes longer has hung. */
const PATIENCE_MS = 600_000;

const say = (line) =>
  process.stdout.write(`${((performance.now() / 1000) | 0).toString().padStart(4)} s  ${line}\n`);

try {
  // Everyone may look into it, because one of the builds belongs to another user.
  chmodSync(work, 0o755);
  if (isDry) await rehearse();
  else makeRelease();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function rehearse() {
  const [first, second] = await Promise.all([build("first", {}), build("second", otherMachine())]);
  compare("the package", first.tarball, second.tarball);
  compare("the binary", first.binary, second.binary);
  compare("the bundle", first.bundle, second.bundle);
  const megabytes = statSync(first.binary).size / 1e6;
  if (megabytes > MAX_BINARY_MB) throw new Error(`the binary has ${megabytes.toFixed(1)} MB`);
  say(`notes: ${notes().split("\n").length} lines of the changelog`);
  await untilFill("the binary, from an empty folder", first.binary, ["demo"], emptyHome("binary"));
  await useBundle(first.bundle);
  const registry = await startRegistry();
  try {
    for (const name of NEEDED) registry.publish(join(root, "node_modules", name));
    registry.publish(first.tarball);
    say(`published ${version} and ${NEEDED.length} packages that it needs`);
    for (const [name, program] of Object.entries(NODES)) await useFromRegistry(name, program, registry);
    await useImage(registry);
  } finally {
    await registry.stop();
  }
}

/** Clones the checkout, packs it, and makes this platform's binary. */
async function build(name, { env = {}, mask = "022", user, depth = "" }) {
  const clone = join(work, name, depth, "checkout");
  execFileSync("git", ["clone", "--quiet", root, clone]);
  for (const folder of ["", "test/runtimes"])
    if (existsSync(join(root, folder, "node_modules")))
      copyPackages(join(root, folder, "node_modules"), join(clone, folder, "node_modules"));
  const out = join(work, name, "out");
  const script = `umask ${mask}; "$0" cli/build/pack.mjs ${out} && "$0" cli/build/binary/binary.mjs ${out}/edgemaker-${version}.tgz ${out} ${own}`;
  const home = join(work, name);
  if (user) {
    const others = ["-path", "*/node_modules", "-prune", "-o", "-exec", "chown", String(user), "{}", "+"];
    execFileSync("find", [home, ...others]);
  }
  const node = process.execPath;
  const child = spawn("sh", ["-c", script, node], {
    cwd: clone,
    env: { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, HOME: home, ...env },
    stdio: ["ignore", "ignore", "inherit"],
    ...(user ? { uid: user, gid: user } : {}),
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new Error(`the build in ${clone} ended with ${code}`);
  say(`built in ${clone}${user ? `, as user ${user}` : ""}`);
  const [tarball, binary, bundle] = [`${version}.tgz`, own, `${own}.mcpb`].map((name) =>
    join(out, `edgemaker-${name}`),
  );
  return { tarball, binary, bundle };
}

/** With hard links, because the builds only read packages; on another device, with copies. */
function copyPackages(from, to) {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }
}

/** Another folder, user, mask, language, time zone and time. */
function otherMachine() {
  const later = join(work, "later.mjs");
  writeFileSync(
    later,
    `const Now = Date; const by = 400 * 86_400_000;
globalThis.Date = class extends Now {
  constructor(...given) { super(...(given.length > 0 ? given : [Now.now() + by])); }
  static now() { return Now.now() + by; }
};
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) say("not root: both builds are of one user");
  return {
    env: { TZ: "Pacific/Chatham", LANG: "tr_TR.UTF-8", NODE_OPTIONS: `--import=${later}` },
    mask: "077",
    user: isRoot ? 65_534 : undefined,
    depth: "a/deeper folder",
  };
}

function compare(what, first, second) {
  const [a, b] = [first, second].map((file) => createHash("sha256").update(readFileSync(file)).digest("hex"));
  if (a !== b) throw new Error(`${what} differs between two builds of one commit: ${a}, ${b}`);
  say(`${what}: two builds are equal, ${(statSync(first).size / 1e6).toFixed(1)} MB, sha256 ${a}`);
}

/** A home without settings, for one command. */
function emptyHome(name) {
  const home = join(work, `home ${name}`);
  mkdirSync(home, { recursive: true });
  return { cwd: home, env: { HOME: home, PATH: process.env.PATH } };
}

/** Opens a bundle as a client of MCP does: checks the manifest, starts what it names, and lists the tools. */
async function useBundle(file) {
  const folder = join(work, "bundle");
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(file)))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const fault = faultOf("bundle", manifest);
  if (fault) throw new Error(`the bundle's manifest is not valid: ${fault}`);
  const { cwd, env } = emptyHome("bundle");
  const [{ command, args }, node] = [manifest.server.mcp_config, dirname(process.execPath)];
  const transport = new StdioClientTransport({
    command,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts its folder there.
    args: args.map((word) => word.replaceAll("${__dirname}", folder)),
    cwd,
    env: { ...env, PATH: `${node}${delimiter}${env.PATH}` },
  });
  const client = new Client({ name: "release", version });
  await client.connect(transport, { timeout: PATIENCE_MS });
  const { tools } = await client.listTools();
  await client.close();
  const [listed, named] = [tools, manifest.tools].map((list) => list.map(({ name }) => name).sort());
  if (listed.length === 0 || String(listed) !== String(named))
    throw new Error(`the bundle's server has the tools ${listed}, and its manifest names ${named}`);
  say(`the bundle, from an empty folder: ${listed.length} tools`);
}

/** Starts a registry that knows only what is published to it. */
async function startRegistry() {
  const config = join(work, "registry.yaml");
  writeFileSync(
    config,
    `storage: ${JSON.stringify(join(work, "registry"))}
packages:
  "**": { access: $all, publish: $anonymous }
auth: { htpasswd: { file: ${JSON.stringify(join(work, "users"))} } }
log: { type: stdout, level: fatal }
`,
  );
  // The system gives it a port that is free.
  const start = `require(${JSON.stringify(join(runtimes, "verdaccio"))}).runServer(process.argv[1]).then((server) =>
    server.listen(0, "127.0.0.1", () => console.log(server.address().port)))`;
  const child = spawn(process.execPath, ["--eval", start, config], {
    cwd: work,
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: work },
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => /^\d+$/.test(line) && resolve(line));
    ended.then(() => reject(new Error("the local registry did not start")));
  });
  clearTimeout(late);
  const url = `http://127.0.0.1:${port}/`;
  say("a local registry is there");
  return {
    url,
    publish(what) {
      // npm wants a name; this registry takes everyone's.
      const words = [
        "--registry",
        url,
        `--//127.0.0.1:${port}/:_authToken=anyone`,
        "--ignore-scripts",
        "--provenance=false",
      ];
      execFileSync("npm", ["publish", what, "--tag", "latest", "--loglevel", "error", ...words], {
        cwd: work,
        stdio: ["ignore", "ignore", "inherit"],
        timeout: PATIENCE_MS,
      });
    },
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** Installs as its users do: `npx`, a project and for all, each with this Node. */
async function useFromRegistry(name, node, { url }) {
  const { cwd, env } = emptyHome(name);
  const npmFile = npmProgram();
  const path = join(cwd, "bin");
  mkdirSync(path);
  writeFileSync(join(path, "node"), `#!/bin/sh\nexec "${node}" "$@"\n`, { mode: 0o755 });
  const home = {
    ...env,
    PATH: `${path}${delimiter}${env.PATH}`,
    npm_config_registry: url,
    npm_config_update_notifier: "false",
  };
  const npm = (words, folder) =>
    execFileSync(node, [npmFile, ...words], {
      cwd: folder,
      env: home,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      timeout: PATIENCE_MS,
    });
  const empty = join(cwd, "empty");
  const project = join(cwd, "project");
  for (const folder of [empty, project]) mkdirSync(folder);
  const shown = npm(["exec", "--yes", "--", "edgemaker", "--version"], empty).trim();
  if (shown !== version) throw new Error(`npx on ${name} started ${shown}, not ${version}`);
  await untilFill(
    `npx on ${name}, from an empty folder`,
    node,
    [npmFile, "exec", "--yes", "--", "edgemaker", "demo"],
    { cwd: empty, env: home },
  );
  if (readdirSync(empty).length > 0) throw new Error(`npx left ${readdirSync(empty)}`);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  npm(["install", "edgemaker"], project);
  const kilobytes = Number(execFileSync("du", ["-sk", project], { encoding: "utf8" }).split("\t")[0]);
  if (kilobytes > MAX_INSTALL_MB * 1024) throw new Error(`an install has ${kilobytes} KiB`);
  const code = `import { defineStrategy, Money } from "edgemaker"; import { simulate } from "edgemaker/testing";
if (![defineStrategy, simulate].every((one) => typeof one === "function")) throw new Error("not exported");
console.log(String(Money.of("0.1").plus("0.2")));`;
  writeFileSync(join(project, "use.mjs"), code);
  const sum = execFileSync(node, ["use.mjs"], { cwd: project, env: home, encoding: "utf8" }).trim();
  if (sum !== "0.3") throw new Error(`the library on ${name} says ${sum}`);
  npm(["install", "--global", "--prefix", join(cwd, "all"), "edgemaker"], cwd);
  const launcher = join(cwd, "all", "bin", Object.keys(bin)[0]);
  const verdict = JSON.parse(
    execFileSync(node, [launcher, "verify", "--json"], { cwd, env: home, encoding: "utf8" }),
  );
  if (!verdict.valid) throw new Error(`an install differs: ${verdict.problems}`);
  say(
    `${name}: npx, npm install (${(kilobytes / 1024).toFixed(0)} MB), npm install --global, verify: ${verdict.files.length} files of ${verdict.commit}`,
  );
}

/** Starts the server as the image does, where the kernel allows it. */
async function useImage({ url }) {
  const why = whyNoNamespaces();
  if (why) return say(`the image's layout was NOT RUN: ${why}`);
  const { cwd, env } = emptyHome("image");
  const root = join(work, "image");
  mkdirSync(root);
  const install = (prefix) =>
    execFileSync("npm", ["install", "--global", "--prefix", prefix, "--ignore-scripts", "edgemaker"], {
      cwd,
      env: { ...env, npm_config_registry: url, npm_config_update_notifier: "false" },
      stdio: ["ignore", "ignore", "inherit"],
      timeout: PATIENCE_MS,
    });
  say(`the image's layout: ${await runImage(root, install)}`);
}

/** npm's own program: each Node runs it. */
function npmProgram() {
  const folder = execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim();
  const file = join(folder, "npm/bin/npm-cli.js");
  if (!existsSync(file)) throw new Error(`npm is not at ${file}`);
  return file;
}

/** Starts a demo, and ends it after its first fill. */
async function untilFill(what, program, words, { cwd, env }) {
  const begun = performance.now();
  const child = spawn(program, [...words, "--port", "0", "--seconds", String(MAX_SECONDS_TO_FILL)], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  let isFilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^ {2}\S+ \S+ {2}(bought|sold)\b/.test(line) || isFilled) continue;
    isFilled = true;
    say(`${what}: the first fill after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    process.kill(-child.pid, "SIGINT");
  }
  await ended;
  if (!isFilled) throw new Error(`${what}: no fill in ${MAX_SECONDS_TO_FILL} s`);
}

/** Writes everything that a release has: the workflow signs and publishes it. */
function makeRelease() {
  const out = join(root, "dist/release");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const at = process.argv.indexOf("--signature");
  const signature = at < 0 ? [] : [process.argv[at + 1]];
  execFileSync(process.execPath, [join(root, "cli/build/pack.mjs"), out, ...signature], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = join(out, `edgemaker-${version}.tgz`);
  buildBinaries(tarball, out, process.argv.includes("--all") ? undefined : [own], say);
  cpSync(join(root, "dist/sbom.json"), join(out, "sbom.json"));
  writeFileSync(join(out, "notes.md"), notes());
  const files = readdirSync(out)
    .filter((name) => name !== "notes.md")
    .sort();
  const lines = files.map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex")}  ${name}\n`,
  );
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
  say(`dist/release: ${[...files, "SHA256SUMS", "notes.md"].join(", ")}`);
}

/** The part of the changelog about this version; before its release, about what is not released. */
function notes() {
  const parts = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m).slice(1);
  const found = parts.find(
    (part) =>
      part.startsWith(`${version} `) || part.startsWith(`[${version}]`) || part.startsWith(`${version}\n`),
  );
  const part = found ?? (isDry ? parts.find((one) => one.startsWith("Unreleased")) : undefined);
  if (!part) throw new Error(`CHANGELOG.md has no section ${version}`);
  return part.slice(part.indexOf("\n")).trim();
}
