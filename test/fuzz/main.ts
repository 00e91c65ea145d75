/**
 * Requests made from a server's own OpenAPI document, 100,000 of them unless told otherwise:
 * npm run fuzz -- [--runs N] [--seed N] [--url http://… --token …]
 */
import fc from "fast-check";
import { LOOK_HOLDS } from "../../src/ports/kill-permit.ts";
import { wrongWith } from "./judging.ts";
import { type Document, type Request, requestsOf } from "./requests.ts";
import { options, send, type Target, target } from "./server.ts";

const CHUNK = 1000;
const AT_ONCE = 4;
/** A plain read takes about a millisecond on a machine that has nothing else to do: so many are a second. */
const MOST_READS = 1000;
/** Of what it holds after a fifth of the run, over the other four. */
const MOST_GROWTH = 0.1;
const FIFTHS = 5;
const MIB = 1024 * 1024;

const countRequests = (method: string, path: string, body?: object): Request => ({
  operation: `${method} ${path}`,
  method,
  path: `/api/v1${path}`,
  headers: {},
  body: body && JSON.stringify(body),
});
const PLAIN = countRequests("GET", "/ticker?exchange=kraken&symbol=BTC/USDT");

/** What the requests have started would make each later one slower: it is no part of what is measured. */
async function tidy(to: Target): Promise<void> {
  await send(to, countRequests("POST", "/kill", { on: false }));
  const { text } = await send(to, countRequests("GET", "/strategy/grid/list"));
  const { strategies = [] } = JSON.parse(text) as { strategies?: readonly { id: string }[] };
  for (const { id } of strategies) await send(to, countRequests("DELETE", "/strategy/grid", { id }));
  for (const exchange of ["mexc", "gateio", "bitget", "kraken"])
    await send(to, countRequests("DELETE", `/orders?exchange=${exchange}`));
}

const { runs, seed, given } = options();
const to = await target(given);
const document = (await (await fetch(`${to.url}/openapi.json`)).json()) as Document;
const requests = requestsOf(document);
const statuses: Record<number, number> = {};
const wrong: string[] = [];
const plain: number[] = [];
/** Bytes held after each fifth of the run. */
const heaps: number[] = [];
let slowest = { millis: 0, what: "" };

async function one(request: Request): Promise<void> {
  const { status, text, millis: accepted } = await send(to, request);
  // Turning the switch on waits on purpose until nothing of another process can leave any more.
  const millis = request.operation === "POST /kill" ? Math.max(0, accepted - LOOK_HOLDS) : accepted;
  statuses[status] = (statuses[status] ?? 0) + 1;
  const output = wrongWith(request, status, text);
  if (output !== undefined) wrong.push(output);
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

function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, place) => sum + (place - middle) * (value - mean), 0);
  return over / values.reduce((sum, _value, place) => sum + (place - middle) ** 2, 0);
}

const startedAt = performance.now();
for (let done = 0; done < runs; done += CHUNK) {
  await chunk(fc.sample(requests, { numRuns: Math.min(CHUNK, runs - done), seed: seed + done }));
  await tidy(to);
  for (let read = 0; read < 10; read++) plain.push((await send(to, PLAIN)).millis);
  if (done + CHUNK >= ((heaps.length + 1) * runs) / FIFTHS) heaps.push((await to.heap()) ?? 0);
  if ((done / CHUNK) % 10 === 9) console.log(`${done + CHUNK} requests, ${wrong.length} wrong answers`);
}
await to.close();

const middle = [...plain].sort((a, b) => a - b)[Math.floor(plain.length / 2)] as number;
const [early = 0] = heaps;
/** Bytes a request, by least squares over the fifths. */
const slope = slopeOf(heaps) / (runs / FIFTHS);
const reads = slowest.millis / middle;
const growth = early > 0 ? (slope * runs * (FIFTHS - 1)) / FIFTHS / early : 0;
const counted = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
console.log(
  `${runs} requests with seed ${seed} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${counted.join(", ")}`,
);
console.log(
  `slowest ${slowest.millis.toFixed(0)} ms, ${reads.toFixed(0)} plain reads of ${middle.toFixed(1)} ms: ${slowest.what}`,
);
console.log(
  `heap after collection at 20, 40, 60, 80 and 100 %: ${heaps.map((bytes) => (bytes / MIB).toFixed(1)).join(", ")} MiB; slope ${slope.toFixed(1)} bytes a request`,
);
for (const output of wrong.slice(0, 20)) console.log(`WRONG ${output}`);
const isFine = wrong.length === 0 && reads <= MOST_READS && growth <= MOST_GROWTH;
console.log(
  isFine
    ? "nothing was wrong"
    : `${wrong.length} wrong answers, or an answer too slow, or a heap that grows by ${(growth * 100).toFixed(0)} %`,
);
process.exitCode = isFine ? 0 : 1;
