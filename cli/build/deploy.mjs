// Builds, checks sizes, migrates the database, deploys: node cli/build/deploy.mjs [--dry]
import { spawnSync } from "node:child_process";
import { buildWorker, bundleKibibytes, root, wrangler } from "./worker-bundle.mjs";

/** The free plan accepts 3 MiB, the paid plan 10 MiB. A larger bundle starts more slowly. Your own strategies count too. */
const MAX_BUNDLE_KIBIBYTES = 800;
const isDry = process.argv.includes("--dry");

await buildWorker();
const size = bundleKibibytes();
console.log(`bundle: ${size.toFixed(0)} KiB compressed, at most ${MAX_BUNDLE_KIBIBYTES}`);
if (size > MAX_BUNDLE_KIBIBYTES) fail("the bundle is too large");

const url = process.env.EDGEMAKER_DATABASE_URL;
if (!url) fail("EDGEMAKER_DATABASE_URL is not set; deploy needs it to migrate the database first");
const migrate = ["cli/edgemaker.cjs", "db", "migrate", "--url", url, ...(isDry ? ["--dry"] : [])];
const { status } = spawnSync(process.execPath, migrate, { cwd: root, stdio: "inherit" });
if (status !== 0) fail("the database is not migrated, so nothing was deployed");

if (isDry) console.log("dry run: nothing was deployed");
else console.log((await wrangler("deploy").catch(({ stdout, stderr }) => fail(`${stdout}${stderr}`))).stdout);

function fail(line) {
  console.error(`deploy: ${line}`);
  process.exit(1);
}
