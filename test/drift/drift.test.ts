import { expect, it } from "vitest";
import { EDITIONS, editionName, fieldsOf } from "./scenario.ts";

it.each(EDITIONS.map((edition) => [editionName(edition), edition] as const))("an unchanged %s", async (_name, edition) => {
  const started = performance.now();
  const fields = await fieldsOf(edition);
  console.log(_name, Math.round(performance.now() - started), [...fields].map(([call, paths]) => `${call} ${paths.size} ${[...paths.values()].reduce((n, k) => n + k.size, 0)}`).join(", "));
  expect(fields.size).toBeGreaterThan(5);
});
