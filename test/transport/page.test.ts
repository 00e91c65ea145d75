import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { buildPage } from "../../cli/build/page.mjs";
import { createSignIn } from "../../cli/host/sign-in.ts";
import { parseConfig } from "../../src/compose/config.ts";
import type { Access } from "../../src/transport/access.ts";
import { SAFE_HEADERS } from "../../src/transport/headers.ts";
import type { Variables } from "../../src/transport/http.ts";
import { createLimiter } from "../../src/transport/limiter.ts";
import { mountPage } from "../../src/transport/page.ts";
import { testApp } from "../support/app.ts";
import { root } from "../support/bundle.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the page at /", () => {
  it("is for browsers; whoever asks for anything else is told that nothing is there, as before", async () => {
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

  it("is at most 100 KiB, compressed, in all", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edgemaker-page-"));
    await buildPage(root, folder);
    const bytes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
    expect(bytes.length).toBe(3);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100 * 1024);
  });

  it("tells whom a token speaks for, and nobody without one", async () => {
    const { ask, tokens } = await testApp();
    const told = await ask("/api/v1/session", { headers: { authorization: `Bearer ${tokens.read}` } });
    expect(await told.json()).toEqual({ actor: "tok_read", scope: "read" });
    expect(Object.fromEntries(told.headers)).toMatchObject(SAFE_HEADERS);
    expect((await ask("/api/v1/session")).status).toBe(401);
  });

  it("keeps the token that a link stands for out of every cache", async () => {
    const { deps } = await testApp();
    const app = new Hono<{ Variables: Variables }>();
    const allowance = createLimiter(parseConfig({}).rateLimits, () => 0)(undefined);
    app.use((c, next) => {
      c.set("allowance", allowance);
      return next();
    });
    const signIn = createSignIn("em_token");
    mountPage(app, { deps, access: {} as Access, signIn });
    const body = JSON.stringify({ code: signIn.newCode() });
    const headers = { "content-type": "application/json" };
    const redeemed = await app.request("/api/v1/session", { method: "POST", headers, body });
    expect(await redeemed.json()).toEqual({ token: "em_token" });
    expect(Object.fromEntries(redeemed.headers)).toMatchObject(SAFE_HEADERS);
  });

  it("lets nobody in by a code that it has not printed", async () => {
    const { ask, tokens } = await testApp();
    const redeemed = await ask("/api/v1/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: "guessed" }),
    });
    expect(redeemed.status).toBe(401);
    for (const [scope, status] of [
      ["trade", 403],
      ["admin", 404],
    ] as const) {
      const headers = { authorization: `Bearer ${tokens[scope]}` };
      expect((await ask("/api/v1/session/code", { method: "POST", headers })).status).toBe(status);
    }
  });
});

describe("the code of a link", () => {
  it("is good once", () => {
    const signIn = createSignIn("em_token");
    const [one, other] = [signIn.newCode(), signIn.newCode()];
    expect(one).toMatch(/^\w{50}$/);
    expect(signIn.redeem(one)).toBe("em_token");
    expect(signIn.redeem(one)).toBeUndefined();
    expect(signIn.redeem(other)).toBe("em_token");
    expect(signIn.redeem("")).toBeUndefined();
  });
});
