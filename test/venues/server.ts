import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Millis } from "../../src/kernel/time.ts";
import { type Dialect, isReply, type Member, type Reply, type Requested, type Route } from "./dialect.ts";
import type { Engine } from "./engine.ts";
import { createFaults, type Fault } from "./faults.ts";

export interface Received {
  readonly route: Route | "unknown";
  readonly at: Millis;
  /** The key that signed it rightly. */
  key: string | undefined;
  /** The status sent; undefined while none was. */
  status: number | undefined;
  readonly path: string;
}

const KEPT = 20_000;

interface Late {
  readonly at: Millis;
  readonly act: () => void;
}

/** Serves one dialect over one engine on a free port of the loopback interface. */
export async function serveVenue(
  dialect: Dialect,
  {
    engine,
    members,
    clock,
    port,
    onRequest,
  }: {
    engine: Engine;
    members: Map<string, Member>;
    clock: () => Millis;
    port: number;
    onRequest: () => void;
  },
) {
  const faults = createFaults();
  const counts = new Map<Route | "unknown", number>();
  const observed: Received[] = [];
  const limited: Route[] = [];
  const latency = { before: 0 as Millis, after: 0 as Millis };
  /** Changes of answers, by route: the test's own payload in place of the emulator's. */
  const changes = new Map<Route, (body: unknown) => unknown>();
  let late: Late[] = [];

  /** Lets happen what faults have put off until now. */
  function catchUp() {
    const now = clock();
    const due = late.filter(({ at }) => at <= now);
    if (due.length === 0) return;
    late = late.filter(({ at }) => at > now);
    for (const { act } of due) act();
  }

  function process(route: Route, requestedInput: Requested): { reply: Reply; key?: string } {
    const now = clock();
    const answer = dialect.open[route];
    if (answer) return { reply: answer({ request: requestedInput, engine, now }) };
    const member = dialect.authenticate(requestedInput, members, now);
    if (isReply(member)) return { reply: member };
    return { reply: act(route, requestedInput, member), key: member.keys.key };
  }

  function act(route: Route, requestedInput: Requested, member: Member): Reply {
    const ask = { request: requestedInput, engine, member, now: clock() };
    const refused = dialect.counted?.(route, ask);
    if (refused) limited.push(route);
    return refused ?? dialect.signed[route]?.(ask) ?? dialect.trouble.unknownRoute;
  }

  function note(route: Route | "unknown", { path }: Requested): Received {
    counts.set(route, (counts.get(route) ?? 0) + 1);
    if (observed.length >= KEPT) observed.splice(0, KEPT / 2);
    const entry: Received = { route, path, at: clock(), key: undefined, status: undefined };
    observed.push(entry);
    return entry;
  }

  // A late request is signed when it arrives and acts when its time comes; expiry is checked again then.
  function postpone(route: Route, requestedInput: Requested, millis: Millis): string | undefined {
    const member = dialect.authenticate(requestedInput, members, clock());
    if (isReply(member)) return undefined;
    late.push({ at: clock() + millis, act: () => void act(route, requestedInput, member) });
    return member.keys.key;
  }

  async function handle(requestedInput: Requested, response: ServerResponse) {
    if (latency.before > 0) await wait(latency.before);
    onRequest();
    const route = dialect.route(requestedInput);
    const entry = note(route ?? "unknown", requestedInput);
    if (route) await answer(route, requestedInput, response, entry);
    else send(response, dialect.trouble.unknownRoute, clock());
    if (response.headersSent) entry.status = response.statusCode;
  }

  async function answer(route: Route, requestedInput: Requested, response: ServerResponse, entry: Received) {
    const fault = faults.take(route);
    const millis = fault?.millis ?? 0;
    if (fault?.kind === "late") {
      entry.key = postpone(route, requestedInput, millis);
      response.destroy();
      return;
    }
    const acts = fault === undefined || fault.acts === true || fault.kind === "slow";
    const { reply, key } = acts ? process(route, requestedInput) : { reply: undefined, key: undefined };
    entry.key = key;
    const pause = latency.after + (fault?.kind === "slow" ? millis : 0);
    if (pause > 0) await wait(pause);
    await fault?.until;
    const { again, ...all } = dialect.checked;
    const { on, source } = again?.[route] ?? all;
    response.setHeader("x-shape-checked", `${on} ${source}`);
    if (fault && fault.kind !== "slow") spoil(response, { ...fault, route }, reply, dialect, clock());
    else send(response, changed(route, reply ?? dialect.trouble.serverError), clock());
  }

  function changed(route: Route, { status, body }: Reply): Reply {
    const change = changes.get(route);
    // A copy, because the emulator's own rows are among it.
    return { status, body: change ? change(structuredClone(body)) : body };
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void read(request)
      .then((requestedInput) => handle(requestedInput, response))
      .catch((error: unknown) => {
        // A mistake of the emulator itself must not look like one of the faults.
        console.error("emulated venue:", error);
        response.destroy();
      });
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    http: server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    counts,
    observed,
    limited,
    latency,
    changes,
    catchUp,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const wait = (millis: Millis) => new Promise((after) => setTimeout(after, millis));

async function read(request: IncomingMessage): Promise<Requested> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const rawQuery = mark < 0 ? "" : url.slice(mark + 1);
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    rawQuery,
    query: new URLSearchParams(rawQuery),
    headers: request.headers,
    body,
  };
}

function send(response: ServerResponse, { status, body }: Reply, now: Millis) {
  const payload = JSON.stringify(body);
  response.writeHead(status, headersOf(payload, now));
  response.end(payload);
}

const headersOf = (payload: string, now: Millis) => ({
  "content-type": "application/json",
  "content-length": Buffer.byteLength(payload),
  ...dated(now),
});

/** By the exchange's clock: left out, it would be this machine's. */
const dated = (now: Millis) => ({ date: new Date(now).toUTCString() });

const HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";

function spoil(
  response: ServerResponse,
  { kind, route, code = "", text = "" }: Fault & { readonly route: Route },
  reply: Reply | undefined,
  { trouble, says, limited }: Dialect,
  now: Millis,
) {
  const payload = JSON.stringify((reply ?? trouble.serverError).body);
  const half = payload.slice(0, Math.floor(payload.length / 2));
  switch (kind) {
    case "says":
      return send(response, says(code, text), now);
    case "rate_limit":
      return send(response, limited(route), now);
    case "server_error":
      return send(response, trouble.serverError, now);
    case "maintenance":
      return send(response, trouble.maintenance, now);
    case "bad_gateway":
      response.writeHead(502, { "content-type": "text/html", ...dated(now) });
      return response.end(HTML);
    case "empty":
      response.writeHead(200, { "content-type": "application/json", "content-length": 0, ...dated(now) });
      return response.end();
    case "cut":
      response.writeHead(200, { "content-type": "application/json", ...dated(now) });
      return response.end(half);
    case "truncated":
      response.writeHead(200, headersOf(payload, now));
      return response.write(half, () => response.destroy());
    case "hang_body":
      response.writeHead(200, headersOf(payload, now));
      return response.write(half);
    case "drop":
      return response.destroy();
    default:
      // "hang": nothing, until the other side gives up.
      return undefined;
  }
}
