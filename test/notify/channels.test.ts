import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";

const KEK = Buffer.alloc(32, 3).toString("base64");

/** The names that a server can look up: one leads to this machine, and the others nowhere. */
const NAMES = `data:text/javascript,${encodeURIComponent(`
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
const { lookup } = dns;
dns.lookup = (host, options, told) =>
  host === "inner.example"
    ? told(null, [{ address: "127.0.0.1", family: 4 }])
    : /example$/.test(host)
      ? told(new Error("ENOTFOUND"))
      : lookup(host, options, told);
syncBuiltinESMExports();
`)}`;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly message?: string };
}

/** A server of its own, asked as an administrator. */
function serverWith(settings: () => Promise<Readonly<Record<string, string>>>) {
  const made = makeFolder();
  let server: ReturnType<typeof spawnServer>;
  beforeAll(async () => {
    server = spawnServer(made.path, ["--sandbox"], await settings());
    await server.listens;
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    made.remove();
  });
  const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await server.ask(`/api/v1${path}`, { method, ...sent });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  };
  return { ask, folder: made.path };
}

describe("channels over HTTP", () => {
  let hook: Awaited<ReturnType<typeof listening>>;
  const { ask, folder } = serverWith(async () => {
    hook = await listening();
    return { EDGEMAKER_KEK: KEK, EDGEMAKER_OUTBOUND_HOSTS: hook.host, NODE_OPTIONS: `--import ${NAMES}` };
  });
  afterAll(() => void hook.server.close());

  it.each([
    [{ channel: "a b", kind: "ntfy", url: "https://ntfy.example/t" }, "1 to 31"],
    [{ channel: "one", kind: "post", url: "https://ntfy.example/t" }, "webhook or telegram"],
    [{ channel: "one", kind: "telegram", botToken: "1:a" }, "requires chatId"],
    [{ channel: "one", kind: "webhook", url: "nowhere" }, "a complete address"],
    [{ channel: "one", kind: "webhook", url: "https://10.0.0.7/hook" }, "a public one"],
    [{ channel: "one", kind: "webhook", url: "https://localhost./hook" }, "a public one"],
    [{ channel: "one", kind: "webhook", url: "https://inner.example/hook" }, "resolves to a private address"],
    [{ channel: "one", kind: "webhook", url: "http://hooks.example/" }, "must be https"],
    [{ channel: "one", kind: "ntfy", url: "https://ntfy.example/t", quiet: "at night" }, "22:00-07:00"],
  ])("rejects the channel %o", async (body, why) => {
    const { status, body: result } = await ask("POST", "/channels", body);
    expect([status, result.error]).toEqual([400, "Invalid request"]);
    expect(result.message).toContain(why);
    expect((await ask("GET", "/channels")).body).toMatchObject({ count: 0 });
  });

  it("adds a channel, returns it, and never returns its secrets", async () => {
    const url = `http://${hook.host}/path-that-is-secret`;
    const given = {
      channel: "ops",
      kind: "webhook",
      url,
      level: "alert",
      quiet: "22:00-07:00",
      daily: true,
    };
    const added = await ask("POST", "/channels", given);
    expect(added.status, added.body.message).toBe(200);
    expect(added.body.signingSecret).toMatch(/^whsec_/);
    expect(await ask("POST", "/channels", given)).toMatchObject({
      status: 409,
      body: { error: "Conflict" },
    });
    expect((await ask("POST", "/channels/ops", { send: "test" })).body).toEqual({
      channel: "ops",
      messages: 1,
    });
    expect(hook.requests).toHaveLength(1);
    expect(hook.requests[0]).toContain("this is a test");

    const { body } = await ask("GET", "/channels");
    expect(body).toMatchObject({
      count: 1,
      channels: [
        { channel: "ops", level: "alert", quiet: "22:00-07:00 UTC", daily: true, error: null, waiting: 0 },
      ],
    });
    const events = JSON.stringify((await ask("GET", "/audit")).body);
    expect(events).toContain("added ops, a webhook");
    for (const secret of ["path-that-is-secret", String(added.body.signingSecret)]) {
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(events).not.toContain(secret);
      expect(bytesIn(folder)).not.toContain(secret);
    }
    hook.isOpen = false;
    const failed = await ask("POST", "/channels/ops", { send: "test" });
    expect(failed).toMatchObject({ status: 409, body: { error: "Conflict" } });
    expect(failed.body.message).toContain("ops did not get the message");
    expect(failed.body.message).not.toContain("path-that-is-secret");

    expect((await ask("DELETE", "/channels/ops")).body).toEqual({ channel: "ops", removed: true });
    for (const [method, body] of [
      ["DELETE", undefined],
      ["POST", { send: "test" }],
      ["POST", { send: "failed" }],
    ] as const)
      expect((await ask(method, "/channels/ops", body)).status, body?.send).toBe(404);
  });
});

describe("channels without encryption", () => {
  const { ask } = serverWith(async () => ({}));
  it("are refused with instructions", async () => {
    const result = await ask("POST", "/channels", {
      channel: "phone",
      kind: "ntfy",
      url: "https://ntfy.example/t",
    });
    expect(result.status).toBe(409);
    expect(result.body.message).toContain("EDGEMAKER_KEK is not set");
  });
});

/** Somebody who is told, and refuses it once that is over. */
async function listening() {
  const heard = { requests: [] as string[], isOpen: true };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    heard.requests.push(text);
    response.writeHead(heard.isOpen ? 200 : 410).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(heard, { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const bytesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
