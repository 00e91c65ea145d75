import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";
import { LATE_FETCH } from "../../cli/build/late-fetch.mjs";
import { tempFolder } from "../support/temp.ts";

/** Asks a server of its own at each path it is given, and tells the answers, and whether Node had loaded its fetch by then. */
const PROGRAM = `
import { request } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.get("/text", () => new Response("text", { status: 201, headers: { "x-own": "1" } }));
app.get("/header", (c) => new Response(c.req.header("x-asked")));
app.post("/body", async (c) => new Response(await c.req.text()));
app.post("/clone", async (c) => new Response(await c.req.raw.clone().text()));
app.post("/echo", (c) => new Response(c.req.raw.body));
app.post("/once", async (c) => {
  await c.req.text();
  return c.json([c.req.raw.bodyUsed, new Request(c.req.raw, { method: "PUT", body: "new" }).method]);
});
app.get("/request", (c) => c.json([new Request(c.req.raw).url.length > 0, new Request("http://x/").headers.get("a")]));
app.get("/kinds", (c) => c.json([
  c.req.raw instanceof Request, c.req.raw.headers instanceof Headers, new Response("") instanceof Response,
  new Response("") instanceof Object.getPrototypeOf(Response), new Headers(c.req.raw.headers).get("x-asked"),
]));
app.get("/set", (c) => (c.header("x-set", "1"), c.header("set-cookie", "a=1", { append: true }), c.json(1)));
app.get("/again", () => new Response("again", new Response("", { status: 202, headers: { "x-own": "1" } })));
app.get("/headers", (c) => new Response("", { headers: c.req.raw.headers }));
app.get("/native", async () => new Response(await new Response("of the platform").text()));
app.get("/error", () => Response.json({ type: Response.error().type }));
app.get("/stream", () => new Response(new ReadableStream({ start(to) { to.enqueue(new Uint8Array([65])); to.close(); } })));
app.get("/fails", () => { throw new Error("failed"); });
app.get("/status", async () => Response.redirect("http://x/", 307));

const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, async ({ port }) => {
  const told = {};
  for (const word of process.argv.slice(2)) {
    const [method, path] = word.split(" ");
    const headers = { "x-asked": "asked", connection: "close", ...(method === "POST" && { "content-length": 4 }) };
    const answer = await new Promise((resolve) => {
      const asked = request({ host: "127.0.0.1", port, path, method, headers }, (from) => {
        let text = "";
        from.on("data", (part) => { text += part; });
        from.on("end", () => resolve({ status: from.statusCode, headers: { ...from.headers, date: "", host: "" }, text }));
      });
      asked.end(method === "POST" ? "body" : undefined);
    });
    told[word] = { answer, isLoaded: process.moduleLoadList.some((name) => /undici|http2$/.test(name)) };
  }
  process.stdout.write(JSON.stringify(told));
  server.close();
});`;

/** What an answer takes that needs nothing of the platform's. */
const LIGHT = ["GET /text", "GET /header", "POST /body", "GET /fails"];
const OTHERS = [
  ...["POST /clone", "POST /echo", "POST /once", "GET /request", "GET /kinds", "GET /set", "GET /native"],
  ...["GET /again", "GET /headers", "GET /error", "GET /stream", "GET /status", "GET /nothing"],
];

type Told = Readonly<
  Record<string, { readonly answer: { readonly status: number }; readonly isLoaded: boolean }>
>;

async function program(
  ...plugins: readonly Plugin[]
): Promise<(...words: readonly string[]) => Promise<Told>> {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd() },
    ...{
      bundle: true,
      write: false,
      platform: "node",
      format: "cjs",
      logLevel: "error",
      plugins: [...plugins],
    },
  });
  const file = join(tempFolder(), "program.cjs");
  writeFileSync(file, outputFiles?.[0]?.text ?? "");
  return async (...words) => {
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...words], {
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    return JSON.parse(stdout) as Told;
  };
}

it("answers as it did, whatever is asked first", async () => {
  const [plain, late] = await Promise.all([program(), program(LATE_FETCH)]);
  const words = [...LIGHT, ...OTHERS];
  const before = await plain(...words);
  const answerOf = (told: Told, word: string) => told[word]?.answer;
  for (const word of words) {
    const alone = await late(word);
    expect([word, answerOf(alone, word)]).toEqual([word, answerOf(before, word)]);
  }
  for (const order of [words, words.toReversed()]) {
    const after = await late(...order);
    for (const word of words) expect([word, answerOf(after, word)]).toEqual([word, answerOf(before, word)]);
  }
});

it("loads the platform's fetch when something asks for it, and not before", async () => {
  const late = await program(LATE_FETCH);
  const told = await late(...LIGHT, "GET /set");
  expect(Object.entries(told).map(([word, { isLoaded }]) => [word, isLoaded])).toEqual([
    ...LIGHT.map((word) => [word, false]),
    ["GET /set", true],
  ]);
});
