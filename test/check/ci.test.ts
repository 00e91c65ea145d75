import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";

const script = readFileSync(join(root, ".ci/run"), "utf8");
const workflow = readFileSync(join(root, ".github/workflows/ci.yml"), "utf8");

it("the workflow runs the commands of .ci/run, under the same names", () => {
  // A browser is there already where the workflow runs.
  const own = [...script.matchAll(/^step "([^"]+)" (.+)$/gm)]
    .map(([, name, run]) => ({ name, run }))
    .filter(({ run }) => run !== "browser");
  const steps = [...workflow.matchAll(/- name: "?(.+?)"?\n\s+run: (.+)$/gm)].map(([, name, run]) => ({
    name,
    run,
  }));
  expect(own.length).toBeGreaterThan(5);
  expect(steps).toEqual(own);
});

it("the workflow has read-only permissions, and each action is pinned to a reviewed commit", () => {
  expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m);
  expect(workflow).not.toMatch(/: write\b/);
  const actions = [...workflow.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
