import { resolve } from "node:path";

const PATHS = { edgemaker: "src/own/package.ts", "edgemaker/testing": "cli/testing/package.ts" };

/** Lets tests import `edgemaker` as a project does that installs the package. */
export const PACKAGE = Object.entries(PATHS).map(([name, path]) => ({
  find: new RegExp(`^${name}$`),
  replacement: resolve(path),
}));

/** The same for the bundles of tests. */
export const PACKAGE_ALIASES = Object.fromEntries(
  Object.entries(PATHS).map(([name, path]) => [name, resolve(path)]),
);
