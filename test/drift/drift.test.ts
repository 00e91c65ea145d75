import { expect, it } from "vitest";
import { EDITIONS, EFFECTS, editionName, isEssential } from "./essentials.ts";
import type { Mutation } from "./mutate.ts";
import { fieldsOf, runMutations } from "./scenario.ts";

/** `npm run drift` changes each field in each way; these are all that are not on the list, in two ways. */
it.each(EDITIONS.map((edition) => [editionName(edition), edition] as const))(
  "strategies on %s need no field that is not on the list of essentials",
  async (_name, edition) => {
    const fields = await fieldsOf(edition);
    const all = [...fields].flatMap(([call, paths]) =>
      [...paths].map(([path, kinds]) => ({ call, path: path === "" ? [] : path.split("."), kinds })),
    );
    const unneeded = all.filter((field) => !EFFECTS.some((what) => isEssential(edition, field, { what })));
    const outermost = unneeded.filter(
      ({ call, path }) =>
        !path.includes("$") &&
        !unneeded.some(
          (other) =>
            other.call === call &&
            other.path.length < path.length &&
            other.path.every((key, i) => key === path[i]),
        ),
    );
    expect(outermost.length).toBeGreaterThan(30);
    const without = outermost.map((field): Mutation => ({ ...field, kind: "drop" }));
    const beside = all
      .filter(({ kinds }) => kinds.has("add"))
      .map((field): Mutation => ({ ...field, kind: "add" }));
    const { findings, changed } = await runMutations(edition, [...beside, ...without]);
    expect(findings).toEqual([]);
    expect(changed).toBeGreaterThan(50);
  },
);
