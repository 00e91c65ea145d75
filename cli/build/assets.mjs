// What wrangler runs before it builds, deploys or serves: node cli/build/assets.mjs
import { layOutAssets } from "./worker-bundle.mjs";

await layOutAssets();
