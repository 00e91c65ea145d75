import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildPage } from "../../cli/build/page.mjs";
import { SAFE_HEADERS } from "../../src/transport/http.ts";
import { testApp } from "../support/app.ts";
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

  it("is at most 120 KiB, compressed, in all", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edgemaker-page-"));
    await buildPage(root, folder);
    const sent = readdirSync(folder).filter((name) => /\.(gz|svg)$/.test(name));
    const bytes = sent.map((name) => readFileSync(join(folder, name)).length);
    expect(bytes.length).toBe(3);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(120 * 1024);
  });

  it("returns the owner of a token, and nothing without a token", async () => {
    const { ask, tokens } = await testApp();
    const response = await ask("/api/v1/session", { headers: { authorization: `Bearer ${tokens.read}` } });
    expect(await response.json()).toEqual({ actor: "tok_read", scope: "read" });
    expect(Object.fromEntries(response.headers)).toMatchObject(SAFE_HEADERS);
    expect((await ask("/api/v1/session")).status).toBe(401);
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
