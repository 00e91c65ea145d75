import { resolve } from "node:path";

/** Lets tests import `edgemaker` as a project does that installs the package. */
export const PACKAGE = [
  { find: /^edgemaker$/, replacement: resolve("src/own/package.ts") },
  { find: /^edgemaker\/testing$/, replacement: resolve("cli/testing/package.ts") },
];
