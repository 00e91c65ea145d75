import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildPage } from "../../cli/build/page.mjs";
import { digest } from "../../src/kernel/digest.ts";
import { safeHeaders } from "../../src/transport/http.ts";
import { createSignInLink } from "../../src/transport/page.ts";
import { servedOver, testApp } from "../support/app.ts";
import { root } from "../support/bundle.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the page at /", () => {
  it("is served to browsers; other clients still receive Not found", async () => {
    const { ask } = await testApp();
    const page = await ask("/", { headers: { accept: BROWSER } });
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.headers.get("content-security-policy")).toContain("style-src 'self'; img-src 'self';");
    expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|https?:|\*/);
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
    const other = await ask("/", { headers: { accept: "application/json" } });
    expect([other.status, await other.json()]).toMatchObject([404, { error: "Not found" }]);
  });

  it("is at most 150 KiB, compressed, until a report is saved", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edgemaker-page-"));
    await buildPage(root, folder);
    const names = readdirSync(folder);
    const { script, style } = JSON.parse(readFileSync(join(folder, "files.json"), "utf8"));
    const text = readFileSync(join(folder, script), "utf8");
    const chunks = [...text.matchAll(/\bfrom"\.\/([^"]+)"/g)].map(([, name]) => name);
    // Every file is loaded at first, except the one that a click imports.
    const later = names.filter((name) => /^main-report-\w+\.js$/.test(name));
    expect([script, ...chunks, ...later].toSorted()).toEqual(
      names.filter((name) => /^main.*\.js$/.test(name)),
    );
    const sent = ["icon.svg", ...[script, style, ...chunks].map((name) => `${name}.gz`)];
    const bytes = sent.map((name) => readFileSync(join(folder, name)).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150 * 1024);
  });

  it("returns the owner of a token, and nothing without a token", async () => {
    const { ask, tokens } = await testApp();
    const response = await ask("/api/v1/session", { headers: { authorization: `Bearer ${tokens.read}` } });
    expect(await response.json()).toEqual({ actor: "tok_read", scope: "read", mode: "simulated" });
    expect(Object.fromEntries(response.headers)).toMatchObject(safeHeaders(expect.any(String)));
    const real = await testApp({
      connect: (deps) => ({ ...deps, exchanges: deps.exchanges.map((one) => ({ ...one, kind: "live" })) }),
    });
    const asked = await real.ask("/api/v1/session", { headers: { authorization: `Bearer ${tokens.read}` } });
    expect(await asked.json()).toMatchObject({ mode: "real" });
    expect((await ask("/api/v1/session")).status).toBe(401);
    const headers = { authorization: `Bearer ${tokens.read}` };
    expect((await ask("/api/v1/session?scope=admin", { headers })).status).toBe(400);
  });

  it("rejects a sign-in code that it has not printed", async () => {
    const { ask } = await testApp();
    const redeemed = await ask("/api/v1/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: "guessed" }),
    });
    expect(redeemed.status).toBe(401);
  });
});

interface Listed {
  readonly id: string;
  readonly scope: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function signInApp() {
  const app = await testApp({ realTime: false });
  const send = async (method: string, path: string, token?: string, body?: object) => {
    const answer = await app.ask(`/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as never };
  };
  const { admin } = app.tokens;
  const makeToken = async (days?: number) =>
    (await send("POST", "/tokens", admin, { scope: "admin", ...(days ? { days } : {}) })).body as {
      id: string;
      token: string;
    };
  const link = async (token: string) =>
    ((await send("POST", "/session/code", token)).body as { code: string }).code;
  const redeem = (code: string) => send("POST", "/session", undefined, { code });
  const signIn = async (token: string) => ((await redeem(await link(token))).body as { token: string }).token;
  const session = async (token: string) => (await send("GET", "/session", token)).status;
  const listed = async () =>
    ((await send("GET", "/tokens", admin)).body as { tokens: readonly Listed[] }).tokens;
  const messages = async () => {
    const { rows } = await app.context.client.execute(
      "select actor || ' ' || message from events where kind = 'token' order by id",
    );
    return rows.map((row) => String(row[0]));
  };
  return { ...app, send, admin, makeToken, link, redeem, signIn, session, listed, messages };
}

it("a link signs in once, with a new token that has its creator's scope", async () => {
  const { link, redeem, send, admin } = await signInApp();
  const code = await link(admin);
  expect(code).toMatch(/^\w{50}$/);
  const { token } = (await redeem(code)).body as { token: string };
  expect(token).toMatch(/^em_/);
  expect(token).not.toBe(admin);
  expect((await send("GET", "/session", token)).body).toMatchObject({ scope: "admin" });
  expect((await redeem(code)).status).toBe(401);
  expect((await redeem("")).status).toBe(401);
});

it("a sign-in response is never cached", async () => {
  const { link, redeem, admin } = await signInApp();
  const { headers } = await redeem(await link(admin));
  expect(headers.get("cache-control")).toBe("no-store");
});

it("only one of two concurrent requests signs in with a link", async () => {
  const { link, redeem, admin } = await signInApp();
  const code = await link(admin);
  const statuses = await Promise.all([redeem(code), redeem(code), redeem(code)]);
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
});

it("a link expires after ten minutes, and a sign-in after a day", async () => {
  const { link, redeem, signIn, session, admin, time } = await signInApp();
  const code = await link(admin);
  const token = await signIn(admin);
  time.pass(10 * MINUTE);
  expect((await redeem(code)).status).toBe(401);
  expect(await session(token)).toBe(200);
  time.pass(DAY);
  expect(await session(token)).toBe(401);
});

it("a clock that was ahead extends neither a link nor a sign-in", async () => {
  const { link, redeem, signIn, session, admin, time } = await signInApp();
  time.pass(HOUR);
  const code = await link(admin);
  const token = await signIn(admin);
  expect(await session(token)).toBe(200);
  time.pass(-HOUR);
  expect((await redeem(code)).status).toBe(401);
  expect(await session(token)).toBe(401);
  expect(await session(await signIn(admin))).toBe(200);
});

it("a sign-in ends when its creator's token expires", async () => {
  const { makeToken, signIn, session, time, listed } = await signInApp();
  const maker = await makeToken(1);
  time.pass(20 * HOUR);
  const token = await signIn(maker.token);
  const [found] = await listed();
  expect((found?.expiresAt ?? 0) - time.now()).toBe(4 * HOUR);
  time.pass(4 * HOUR);
  expect(await session(maker.token)).toBe(401);
  expect(await session(token)).toBe(401);
});

it("links, sign-ins and sign-ins made from them end when their creator's token is revoked", async () => {
  const { makeToken, link, redeem, signIn, session, send, admin, listed } = await signInApp();
  const maker = await makeToken();
  const code = await link(maker.token);
  const first = await signIn(maker.token);
  const second = await signIn(first);
  expect(await session(second)).toBe(200);
  expect((await send("DELETE", `/tokens/${maker.id}`, admin)).status).toBe(200);
  for (const token of [first, second]) expect(await session(token)).toBe(401);
  expect((await redeem(code)).status).toBe(401);
  expect((await listed()).filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id)).toEqual([
    "tok_agent",
    "tok_trade",
    "tok_read",
  ]);
});

it("a sign-in ends when the operator's token changes", async () => {
  const { deps, signIn, session, admin } = await signInApp();
  const token = await signIn(admin);
  expect(await session(token)).toBe(200);
  const { ask } = servedOver(deps, { access: { adminTokens: ["em_another_operator_token"] } });
  const answer = await ask("/api/v1/session", { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(401);
});

it("links and sign-ins are listed until they end, and each can be revoked", async () => {
  const { link, redeem, signIn, session, send, admin, listed } = await signInApp();
  const code = await link(admin);
  const [open] = await listed();
  expect(open).toMatchObject({ id: expect.stringMatching(/^link_/), scope: "link", revokedAt: null });
  expect(JSON.stringify(open)).not.toContain(code);
  expect((await send("DELETE", `/tokens/${open?.id}`, admin)).status).toBe(200);
  expect((await redeem(code)).status).toBe(401);
  const token = await signIn(admin);
  const [signedIn] = await listed();
  expect(signedIn).toMatchObject({ id: expect.stringMatching(/^tok_/), scope: "admin" });
  expect((await send("DELETE", `/tokens/${signedIn?.id}`, admin)).status).toBe(200);
  expect(await session(token)).toBe(401);
  expect((await listed()).map(({ id }) => id)).toEqual(["tok_agent", "tok_trade", "tok_read"]);
});

it("the audit log records who created a link and who signed in with it", async () => {
  const { makeToken, signIn, messages } = await signInApp();
  const maker = await makeToken();
  await signIn(maker.token);
  const [made = "", signedIn = ""] = (await messages()).slice(-2);
  const [, link = "none"] = new RegExp(
    `^${maker.id} created (link_\\w+), a sign-in link of ${maker.id}$`,
  ).exec(made) ?? [made];
  expect(signedIn).toMatch(new RegExp(`^${link} signed in: created tok_\\w+, which has scope admin$`));
});

it("a link's code does not work as a token, and only administrators create links", async () => {
  const { link, session, send, admin, tokens } = await signInApp();
  expect(await session(await link(admin))).toBe(401);
  expect((await send("POST", "/session/code", tokens.trade)).status).toBe(403);
});

it("a link of a server's own token signs in while that server runs", async () => {
  const { deps } = await signInApp();
  const local = "em_local_token_of_this_server";
  const { ask } = servedOver(deps, { access: { localToken: local } });
  await deps.store.addToken(
    {
      id: "local_1",
      name: "local",
      scope: "admin",
      expiresAt: null,
      server: "http://127.0.0.1:1 on here",
      hash: await digest(local),
    },
    { actor: "local", request: null },
  );
  const code = await createSignInLink(deps, { actor: "local", key: await digest(local) }, null);
  const redeemed = await ask("/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { token } = (await redeemed.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  expect((await ask("/api/v1/session", { headers })).status).toBe(200);
  const another = servedOver(deps, { access: { localToken: "em_local_token_of_another_server" } });
  expect((await another.ask("/api/v1/session", { headers })).status).toBe(401);
});
