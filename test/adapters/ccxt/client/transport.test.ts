import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { RequestNotSentError } from "../../../../src/adapters/ccxt/client/quirks.ts";
import { transport } from "../../../../src/adapters/ccxt/client/transport.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { answering } from "../../../support/live.ts";

const wire = (base: string) => ({
  quirks: kraken,
  base,
  fetch: (url: string, init: RequestInit) => fetch(url, init),
  timeoutMillis: 30_000,
  clock: Date.now,
  paid: async () => undefined,
  mayLeave: () => true,
  headers: () => ({}),
  secrets: [],
  onDate: () => undefined,
});
const GET = { method: "GET", headers: {} };
const ADDRESS = "https://api.kraken.com/0/public/Time";

it.each([301, 302, 307, 308])("follows no redirect of status %i", async (status) => {
  const elsewhere = await answering(() => ({ body: "{}" }));
  const server = await answering(() => ({
    status,
    body: "",
    headers: { location: `${elsewhere.url}/stolen` },
  }));
  await expect(transport(wire(server.url))({ url: ADDRESS, ...GET })).rejects.toThrow(/redirect/);
  expect(elsewhere.requests).toEqual([]);
});

it.each([
  "https://evil.example/0/public/Time",
  "http://api.kraken.com/0",
  "https://api.kraken.com.evil.example/",
  "https://api.kraken.com:8443/0",
])("sends no request for %s", async (address) => {
  const server = await answering(() => ({ body: "{}" }));
  await expect(transport(wire(server.url))({ url: address, ...GET })).rejects.toBeInstanceOf(
    RequestNotSentError,
  );
  expect(server.requests).toEqual([]);
});

it("sends nothing when its permit is refused just before sending", async () => {
  const server = await answering(() => ({ body: "{}" }));
  const refused = { ...wire(server.url), mayLeave: () => false };
  await expect(transport(refused)({ url: ADDRESS, ...GET })).rejects.toBeInstanceOf(RequestNotSentError);
  expect(server.requests).toEqual([]);
});

const SECRET = "aB+c/d9==";

it.each([
  ["itself", SECRET],
  ["in lower case", SECRET.toLowerCase()],
  ["in upper case", SECRET.toUpperCase()],
  ["percent-encoded", encodeURIComponent(SECRET)],
  ["in base64", btoa(SECRET)],
  ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
  ["in hexadecimal capitals", Buffer.from(SECRET).toString("hex").toUpperCase()],
  ["backwards", [...SECRET].reverse().join("")],
  ["without its end", SECRET.slice(0, -1)],
  ["its request's signature in a header", "h3aderSignature"],
  ["its request's signature in the address", "qu3rySignature"],
])("reveals no secret that a response repeats: %s", async (_form, text) => {
  const server = await answering(() => ({
    body: JSON.stringify({ error: [`EGeneral:no such ${text} here`] }),
  }));
  const request = transport({ ...wire(server.url), secrets: [SECRET] })({
    url: `${ADDRESS}?signature=qu3rySignature`,
    method: "GET",
    headers: { "API-Sign": "h3aderSignature" },
  });
  const error = await request.catch((caught: unknown) => caught);
  expect(JSON.stringify([error, String(error)])).not.toContain(text);
  expect(JSON.stringify([error, String(error)])).toContain("here");
});

it("gives up on a body that does not arrive after its headers", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"result":');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(transport({ ...wire(base), timeoutMillis: 300 })({ url: ADDRESS, ...GET })).rejects.toThrow(
    /did not answer in time/,
  );
});

it("sends a request at once beside hundreds that get no response, without extra connections", async () => {
  let resolve = () => {};
  const everyOther = new Promise<void>((done) => {
    resolve = done;
  });
  let waiting = 0;
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith("/Time")) return void response.end('{"error":[],"result":{}}');
    // A stranger's question, whose answer begins and never ends.
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"error":[],');
    waiting++;
    if (waiting === STRANGERS) resolve();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const strangers = Array.from({ length: STRANGERS }, () =>
    transport(wire(base))({ url: "https://api.kraken.com/0/public/Depth", ...GET }).catch(() => undefined),
  );
  await everyOther;
  await expect(transport(wire(base))({ url: ADDRESS, ...GET })).resolves.toMatchObject({ status: 200 });
  expect(waiting).toBe(STRANGERS);
  server.closeAllConnections();
  server.close();
  await Promise.all(strangers);
});

/** More than any budget lets strangers ask within the time limit of a read. */
const STRANGERS = 300;
