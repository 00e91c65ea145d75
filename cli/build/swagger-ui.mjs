import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Copies the two files that the API's page is made of, without their package: that one brings another, which runs a
 * script of telemetry when it is installed. Where packages for development were left out there is no such page.
 */
export function copySwaggerUi(folder) {
  const require = createRequire(import.meta.url);
  try {
    for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
      cpSync(require.resolve(`swagger-ui-dist/${name}`), join(folder, name));
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
}
