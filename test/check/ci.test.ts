import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";

const script = readFileSync(join(root, ".ci/run"), "utf8");
const workflow = readFileSync(join(root, ".github/workflows/ci.yml"), "utf8");
const nightly = readFileSync(join(root, ".github/workflows/nightly.yml"), "utf8");
const site = readFileSync(join(root, ".github/workflows/site.yml"), "utf8");
const release = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const shapes = readFileSync(join(root, ".github/workflows/shapes.yml"), "utf8");

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

it("each simulation of .ci/run begins at a number, and the nightly one draws new ones of every edition", () => {
  const simulations = [...script.matchAll(/npm run simulate -- (.+)$/gm)].map(([, options]) => options);
  expect(simulations.length).toBeGreaterThan(5);
  for (const options of simulations) expect(options).toMatch(/--from \d+/);
  const drawn = [...nightly.matchAll(/npm run simulate -- (.+)$/gm)].map(([, options]) => options);
  for (const options of drawn) expect(options).not.toMatch(/--from|--edition/);
  for (const kind of ["", " --strategy quote", " --strategy declared"])
    expect(drawn).toContainEqual(`--swarm${kind} --count 3000`);
});

it("a release runs the tests after the tag is checked, and publishes after the tests, with provenance", () => {
  const needs = [...release.matchAll(/^ {2}(\w+):\n(?: {4}#.*\n)*(?: {4}needs: (\w+)\n)?/gm)];
  expect(needs.slice(-3).map(([, job, after]) => [job, after])).toEqual([
    ["tag", undefined],
    ["prove", "tag"],
    ["publish", "prove"],
  ]);
  const [, publish = ""] = release.split(/^ {2}publish:$/m);
  expect(publish).toMatch(/^ {4}environment: release$/m);
  for (const part of [
    "--provenance",
    "--sbom=true",
    "cosign sign ",
    "SHA256SUMS",
    "notes.md",
    "RELEASE_SIGNING_KEY",
  ])
    expect(publish).toContain(part);
  expect(release.split("publish:")[0]).not.toMatch(/secrets\./);
});

it("only the step that signs sees the key, and it runs no package; the checksums are written last", () => {
  const steps = release.split(/^ {6}- /m).filter((step) => step.includes("RELEASE_SIGNING_KEY"));
  expect(steps.map((step) => /^name: (.+)$/m.exec(step)?.[1])).toEqual(["The signature of the manifest"]);
  expect(steps[0]).not.toMatch(/np[mx] |uses:/);
  const [, after = ""] = release.split("npm run release");
  expect(after).not.toMatch(/ dist\/release\/(?!SHA256SUMS|edgemaker|notes|\*)/);
  expect(release).not.toContain("key of the repository's settings");
});

it("the weekly workflow compares the exchanges' responses, and opens an issue if they differ", () => {
  expect(shapes).toMatch(/^ {4}- cron: "\d+ \d+ \* \* \d"$/m);
  expect(shapes).toContain("npm run --silent shapes > shapes.txt");
  expect(shapes).toContain("if: steps.compare.outputs.code == '1'");
});

it.each([
  [workflow, []],
  [nightly, []],
  [shapes, ["issues"]],
  [release, ["contents", "token", "packages", "attestations"]],
  [site, ["pages", "token"]],
])(
  "a workflow only reads, or writes issues or the site, and each action is pinned to a commit",
  (workflow, writes) => {
    expect(workflow).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect([...workflow.matchAll(/(\w+): write\b/g)].map(([, name]) => name)).toEqual(writes);
    const actions = [...workflow.matchAll(/uses: (.+)$/gm)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  },
);
