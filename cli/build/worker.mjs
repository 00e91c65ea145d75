// What wrangler runs before it deploys or serves: node cli/build/worker.mjs
import { buildWorker } from "./worker-bundle.mjs";

await buildWorker();
