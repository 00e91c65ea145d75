/**
 * Requests made from a server's own OpenAPI document, 100,000 of them unless told otherwise:
 * npm run fuzz -- [--runs N] [--seed N] [--url http://… --token …]
 */
import fc from "fast-check";
import { wrongWith } from "./judging.ts";
import { type Document, type Request, requestsOf } from "./requests.ts";
import { options, send, type Target, target } from "./server.ts";

const CHUNK = 1000;
const AT_ONCE = 4;
/** A plain read takes about a millisecond on a machine that has nothing else to do: so many are a second. */
const MOST_READS = 1000;
/** Of what it holds after a fifth of the run. */
const MOST_GROWTH = 1.5;

const asked = (method: string, path: string, body?: object): Request => ({
  operation: `${method} ${path}`,
  method,
  path: `/api/v1${path}`,
  headers: {},
  body: body && JSON.stringify(body),
});
const PLAIN = asked("GET", "/ticker?exchange=kraken&symbol=BTC/USDT");

/** What the requests have started would make each later one slower: it is no part of what is measured. */
async function tidy(to: Target): Promise<void> {
  await send(to, asked("POST", "/kill", { on: false }));
  const { text } = await send(to, asked("GET", "/strategy/grid/list"));
  const { strategies = [] } = JSON.parse(text) as { strategies?: readonly { id: string }[] };
  for (const { id } of strategies) await send(to, asked("DELETE", "/strategy/grid", { id }));
  for (const exchange of ["mexc", "gateio", "bitget", "kraken"])
    await send(to, asked("DELETE", `/orders?exchange=${exchange}`));
}

const { runs, seed, given } = options();
const to = await target(given);
const document = (await (await fetch(`${to.url}/openapi.json`)).json()) as Document;
const requests = requestsOf(document);
const statuses: Record<number, number> = {};
const wrong: string[] = [];
const plain: number[] = [];
const resident: number[] = [];
let slowest = { millis: 0, what: "" };

async function one(request: Request): Promise<void> {
  const { status, text, millis } = await send(to, request);
  statuses[status] = (statuses[status] ?? 0) + 1;
  const told = wrongWith(request, status, text);
  if (told !== undefined) wrong.push(told);
  if (millis > slowest.millis)
    slowest = { millis, what: `${request.operation} ${request.body?.slice(0, 120) ?? ""}` };
}

async function chunk(list: readonly Request[]): Promise<void> {
  const left = [...list];
  const worker = async () => {
    for (let next = left.pop(); next; next = left.pop()) await one(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const startedAt = performance.now();
for (let done = 0; done < runs; done += CHUNK) {
  await chunk(fc.sample(requests, { numRuns: Math.min(CHUNK, runs - done), seed: seed + done }));
  await tidy(to);
  for (let read = 0; read < 10; read++) plain.push((await send(to, PLAIN)).millis);
  resident.push(to.resident() ?? 0);
  if ((done / CHUNK) % 10 === 9) console.log(`${done + CHUNK} requests, ${wrong.length} wrong answers`);
}
await to.close();

const middle = [...plain].sort((a, b) => a - b)[Math.floor(plain.length / 2)] as number;
const early = resident[Math.floor(resident.length / 5)] as number;
const late = resident.at(-1) as number;
const reads = slowest.millis / middle;
const growth = early > 0 ? late / early : 1;
const counted = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
console.log(
  `${runs} requests with seed ${seed} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${counted.join(", ")}`,
);
console.log(
  `slowest ${slowest.millis.toFixed(0)} ms, ${reads.toFixed(0)} plain reads of ${middle.toFixed(1)} ms: ${slowest.what}`,
);
console.log(
  `memory ${(early / 1024).toFixed(0)} MiB after a fifth, ${(late / 1024).toFixed(0)} MiB at the end`,
);
for (const told of wrong.slice(0, 20)) console.log(`WRONG ${told}`);
const isFine = wrong.length === 0 && reads <= MOST_READS && growth <= MOST_GROWTH;
console.log(isFine ? "nothing was wrong" : `${wrong.length} wrong answers`);
process.exitCode = isFine ? 0 : 1;
