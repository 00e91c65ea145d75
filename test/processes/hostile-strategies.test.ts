import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canary, canaryKek } from "../support/canary.ts";
import { eventually, piped, type Server, serve } from "../support/command.ts";
import { answering } from "../support/live.ts";
import { gridRequest } from "../support/requests.ts";
import { previewOf, startOf } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";

/** What code can do that must not reach the server: it does so in its second call, after its start was planned. */
const DEEDS: Readonly<Record<string, string>> = {
  throws: "throw new Error('boom')",
  rejects: "(async () => { throw new Error('boom'); })()",
  "rejects-later": "(async () => { await null; await null; throw new Error('boom'); })()",
  loops: "for (;;);",
  "loops-after-await": "(async () => { await null; for (;;); })()",
  "loops-in-callback": "Promise.resolve().then(() => { for (;;); })",
  "loops-in-getter": "return { get orders() { for (;;); } }",
  "loops-in-regex": "/^([a-z0-9]+[-_]?)+$/.test('a'.repeat(60) + '!')",
  "fills-a-map": "const map = new Map(); for (let i = 0; ; i++) map.set(i, i)",
  "fills-an-array": "const all = []; for (;;) all.push(new Array(2 ** 25).fill(0.5))",
  "fills-typed-arrays": "kept.push(new Float64Array(2 ** 28).fill(1))",
  recurses: "const f = (n) => f(n + 1) + 1; f(0)",
  "returns-much": "return { orders: [], state: 'x'.repeat(2 ** 27) }",
  "changes-prototypes":
    "Array.prototype.map = Object.prototype.toJSON = JSON.stringify = () => { throw 1 }; return [{}]",
  "ends-the-process": "z.object.constructor('return process')().exit(3)",
  "writes-lines": "z.object.constructor('return process')().stdout.write('{}\\n'.repeat(99)); for (;;);",
};

/** The same in the schema, which each call reads: after the calls of a start. */
const SCHEMA_DEEDS: Readonly<Record<string, string>> = {
  "schema-loops": "for (;;);",
  "schema-rejects": "(async () => { throw new Error('boom'); })();",
  "schema-throws": "throw new Error('boom');",
  "schema-fills": "const all = []; for (;;) all.push(new Array(2 ** 25).fill(0.5));",
};

/** Files that fail when they are loaded. */
const FILES: Readonly<Record<string, string>> = {
  "load-loops": "for (;;);",
  "load-rejects": "Promise.reject(new Error('boom'));",
  "load-exits": "z.object.constructor('return process')().exit(0);",
  "load-fills": "const all = []; for (;;) all.push(new Array(2 ** 25).fill(0.5));",
};
const fileText = (name: string, code: string) => `import { defineStrategy, z } from "edgemaker";
${code}
export default defineStrategy({ name: "${name}", config: z.object({}), orders: () => [] });
`;

const SOURCE = `import { defineStrategy, z } from "edgemaker";
const kept = [];
const parsed = {};
function checked(deed) {
  parsed[deed] = (parsed[deed] ?? 0) + 1;
  if (parsed[deed] < 9) return true;
${Object.entries(SCHEMA_DEEDS)
  .map(([name, code]) => `  if (deed === "${name}") { ${code} }`)
  .join("\n")}
  return true;
}
export default defineStrategy({
  name: "hostile",
  config: z.object({ deed: z.string().refine(checked), label: z.string().regex(/^([a-z0-9]+[-_]?)+$/).default("a") }),
  orders({ config, state }) {
    if (config.deed !== "preview" && state === undefined) return { orders: [], state: 1 };
    const deeds = {
      preview() { for (;;); },
${Object.entries(DEEDS)
  .map(([name, code]) => `      "${name}"() { ${code}; return []; },`)
  .join("\n")}
    };
    return deeds[config.deed]?.() ?? [];
  },
});
`;

const EXCHANGES = ["kraken", "mexc", "gateio", "bitget"];

interface Status {
  readonly strategies: readonly {
    readonly id: string;
    readonly lastStepAt: number;
    readonly phase: string;
    readonly lastError: string | null;
  }[];
}

async function hostileServer() {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/hostile.ts"), SOURCE);
  for (const [name, code] of Object.entries(FILES))
    writeFileSync(join(folder, `strategies/${name}.ts`), fileText(name, code));
  const receiver = await answering(() => ({ body: "" }));
  const env = {
    EDGEMAKER_EXCHANGES: EXCHANGES.join(),
    EDGEMAKER_KEK: canaryKek("B"),
    EDGEMAKER_OUTBOUND_HOSTS: new URL(receiver.url).host,
  };
  const args = ["--db", `file:${join(folder, "hostile.db")}`, "--sandbox"];
  const server = await serve(folder, [...args, "--tick-interval", "1"], env);
  const added = await piped(
    folder,
    ["notify", "add", "ops", "--kind", "webhook", ...args, "--json"],
    [`${receiver.url}/${canary("hook")}`],
    env,
  );
  expect([added.code, added.stderr]).toEqual([0, ""]);
  const alerts = () =>
    receiver.requests.flatMap(({ body }) => (JSON.parse(body) as { lines: string[] }).lines).join("\n");
  return { server, alerts };
}

async function call<T>(server: Server, method: string, path: string, body?: object): Promise<T> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await server.ask(`/api/v1${path}`, { method, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text) as T;
}

const MARKET = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0, quoteBudget: 10 };
const gridsOf = async (server: Server) =>
  (await call<Status>(server, "GET", "/strategy/grid/status")).strategies;
/** Returns the figures of one metric of all accounts. */
async function metricOf(server: Server, name: string): Promise<number[]> {
  const text = await (await server.ask("/metrics")).text();
  return [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].map(([, value]) =>
    Number(value),
  );
}

it("code that throws, loops, fills the memory or ends its process pauses only its strategy", async () => {
  const { server, alerts } = await hostileServer();
  for (const name of Object.keys(FILES)) expect(server.stderr()).toContain(`strategies/${name}.ts`);
  for (const exchange of EXCHANGES) await call(server, "POST", "/strategy/grid", gridRequest({ exchange }));
  const ids = new Map<string, string>();
  for (const deed of [...Object.keys(DEEDS), ...Object.keys(SCHEMA_DEEDS)]) {
    const before = new Map((await gridsOf(server)).map((grid) => [grid.id, grid.lastStepAt]));
    const { id } = await call<{ id: string }>(
      server,
      "POST",
      ...startOf("hostile", {
        ...MARKET,
        deed,
        name: deed,
      }),
    );
    ids.set(deed, id);
    const { events } = await eventually(
      () => call<{ events: { kind: string; message: string }[] }>(server, "GET", `/strategies/${id}/events`),
      (list) => list.events.some(({ message }) => message.startsWith("it is paused")),
    );
    expect(events.filter(({ kind }) => kind === "error")).toHaveLength(1);
    // The grids of all exchanges go on, and none of their passes failed.
    const grids = await eventually(
      () => gridsOf(server),
      (list) => list.every((grid) => grid.lastStepAt > (before.get(grid.id) ?? 0)),
    );
    expect(grids.map(({ lastError }) => lastError)).toEqual([null, null, null, null]);
    expect(await metricOf(server, "edgemaker_failed_passes")).toEqual([0, 0, 0, 0]);
  }
  await eventually(
    () => call<Status>(server, "GET", "/strategies?definition=strategy"),
    ({ strategies }) => strategies.every(({ phase }) => phase === "paused"),
  );
  await eventually(
    async () => alerts(),
    (lines) =>
      [...ids.values()].every((id) => lines.includes(id)) || lines.split("it is paused").length > ids.size,
  );
  for (const { id } of await gridsOf(server)) {
    const { events } = await call<{ events: { kind: string }[] }>(server, "GET", `/strategies/${id}/events`);
    expect(events.filter(({ kind }) => kind === "error" || kind === "recovered")).toEqual([]);
  }
  expect(server.child.exitCode).toBeNull();
  expect(server.stderr()).not.toContain("a pass failed");
});

it("the kill switch and the health check do not wait for code that loops", async () => {
  const { server } = await hostileServer();
  const done: string[] = [];
  const note = (name: string) => () => void done.push(name);
  const preview = (over: object) => call(server, "POST", ...previewOf("hostile", { ...MARKET, ...over }));
  const slow = [
    ...[1, 2, 3].map(() => preview({ deed: "preview" }).then(note("loop"), note("loop"))),
    preview({ deed: "throws", label: `${"a".repeat(60)}!` }).then(note("schema"), note("schema")),
  ];
  await server.ask("/health").then(note("health"));
  await call(server, "POST", "/kill", { on: true }).then(note("kill"));
  await Promise.all(slow);
  // Each of the four takes its whole limit, one after the other.
  expect(done.indexOf("health")).toBeLessThan(done.lastIndexOf("loop"));
  expect(done.indexOf("kill")).toBeLessThan(done.lastIndexOf("loop"));
  expect(done).toHaveLength(6);
});
