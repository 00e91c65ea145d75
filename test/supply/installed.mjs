import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Installs a packed product below a folder, serves its sandbox, asks for a file of its page, and uses its library. */
export async function installs(tarball, folder) {
  const home = join(folder, "home");
  mkdirSync(home);
  // Its own settings of npm: here no script runs whatever a package wants.
  writeFileSync(join(home, "package.json"), "{}");
  writeFileSync(join(home, ".npmrc"), "ignore-scripts=false\naudit=false\nfund=false\n");
  execFileSync("npm", ["install", tarball], { cwd: home, stdio: "ignore" });
  const { packages } = JSON.parse(readFileSync(join(home, "node_modules/.package-lock.json"), "utf8"));
  const scripts = Object.entries(packages).filter(([, one]) => one.hasInstallScript);
  return {
    parts: Object.keys(packages).length,
    scripts: scripts.map(([path]) => path),
    page: await page(home),
    library: useLibrary(home),
  };
}

const TEST = `import { backtest, simulate } from "edgemaker/testing";
import twoSided from "./two-sided.ts";
const { fills, error } = backtest(twoSided, {
  config: { spreadPercent: 1, size: 100 },
  prices: [60_000, 60_000, 59_600, 60_000],
  ...{ quote: 1000, tickInterval: 60_000 },
});
const { problems, orders } = await simulate(twoSided, { config: { spreadPercent: 1, size: 100 }, passes: 20 });
console.log(fills.length, error, orders, problems.length);
`;

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "ESNext",
    moduleResolution: "Bundler",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  },
  include: ["strategies"],
};

/** Copies an example, checks its types, tests it and starts it. Throws where one of these fails; returns its status. */
function useLibrary(home) {
  const folder = join(home, "strategies");
  mkdirSync(folder);
  cpSync(join(root, "examples/two-sided.ts"), join(folder, "two-sided.ts"));
  writeFileSync(join(folder, "run.ts"), TEST);
  writeFileSync(join(home, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const run = (...args) =>
    execFileSync(process.execPath, args, { cwd: home, env: ownEnvironment(home), encoding: "utf8" });
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
  run(join(root, "node_modules/esbuild/bin/esbuild"), "strategies/run.ts", ...BUNDLE);
  if (!/^[1-9]\d* null [1-9]\d* 0/.test(run("run.mjs")))
    throw new Error("the test of the example filled nothing");
  const command = join(home, "node_modules/edgemaker/cli/edgemaker.cjs");
  const market = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--spread-percent", "0.2", "--size", "100"];
  const started = run(command, "strategy", "start", "two-sided", ...market, "--sandbox", "--yes", "--json");
  return JSON.parse(started).status;
}

const BUNDLE = ["--bundle", "--packages=external", "--format=esm", "--platform=node", "--outfile=run.mjs"];

const ownEnvironment = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  XDG_DATA_HOME: home,
  XDG_CONFIG_HOME: home,
});

async function page(home) {
  const env = ownEnvironment(home);
  const args = [join(home, "node_modules/edgemaker/cli/edgemaker.cjs"), "serve", "--sandbox", "--port", "0"];
  const server = spawn(process.execPath, [...args, "--host", "127.0.0.1"], { env, cwd: home });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (!url) continue;
      const files = ["swagger-ui.css", "swagger-ui-bundle.js"];
      const answers = await Promise.all(files.map((name) => fetch(`${url}/static/swagger-ui-dist/${name}`)));
      return Math.max(...answers.map(({ status }) => status));
    }
    return "it did not listen";
  } finally {
    server.kill();
    await ended;
  }
}
