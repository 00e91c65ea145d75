import { describe, expect, it } from "vitest";
import { auditStore } from "../../../../src/adapters/libsql/audit-store.ts";
import { tokenStore } from "../../../../src/adapters/libsql/token-store.ts";
import { BY } from "../../../support/by.ts";
import { opened, START } from "./opened.ts";

const token = (id: string, over: object = {}) => ({
  id,
  name: `the ${id}`,
  scope: "trade" as const,
  expiresAt: null,
  hash: `hash of ${id}`,
  ...over,
});

async function open() {
  const { context, time } = await opened();
  const readOutput = async () => (await auditStore(context).eventsAfter(0, 99)).map(({ message }) => message);
  /** How often it was asked whether anything has changed. */
  let stamps = 0;
  const { stamp } = context.client;
  Object.assign(context.client, {
    stamp() {
      stamps++;
      return stamp();
    },
  });
  return { tokens: tokenStore(context), readOutput, time, stamps: () => stamps };
}

describe("a token", () => {
  it("is found by its hash until it expires or is revoked", async () => {
    const { tokens, time } = await open();
    await tokens.addToken(token("a"), BY);
    await tokens.addToken(token("b", { expiresAt: START + 1000, scope: "read" }), BY);
    expect(await tokens.tokenByHash("hash of a")).toEqual({
      id: "a",
      name: "the a",
      scope: "trade",
      createdAt: START,
      expiresAt: null,
      revokedAt: null,
      server: null,
      maker: null,
    });
    expect(await tokens.tokenByHash("hash of c")).toBeUndefined();
    time.pass(999);
    expect((await tokens.tokenByHash("hash of b"))?.id).toBe("b");
    time.pass(1);
    expect(await tokens.tokenByHash("hash of b")).toBeUndefined();
    expect((await tokens.tokenByHash("hash of a"))?.id).toBe("a");
  });

  it("is reread before a write, without checking for changes first", async () => {
    const { tokens, time, stamps } = await open();
    await tokens.addToken(token("b", { expiresAt: START + 1000 }), BY);
    const found = async () => (await tokens.tokenByHash("hash of b", true))?.id;
    expect([await found(), await found(), stamps()]).toEqual(["b", "b", 0]);
    time.pass(1000);
    expect([await found(), stamps()]).toEqual([undefined, 0]);
  });

  it("is revoked once, it alone, and that is recorded as an event", async () => {
    const { tokens, readOutput } = await open();
    await tokens.addToken(token("a"), BY);
    await tokens.addToken(token("b", { server: "127.0.0.1:3000" }), BY);
    expect(await tokens.revokeToken("a", BY)).toBe(true);
    expect(await tokens.revokeToken("a", BY)).toBe(false);
    expect(await tokens.revokeToken("c", BY)).toBe(false);
    expect(await tokens.tokenByHash("hash of a")).toBeUndefined();
    expect((await tokens.tokenByHash("hash of b"))?.id).toBe("b");
    expect(await readOutput()).toEqual([
      "created a, which has scope trade",
      "created b, which has scope trade, for commands on the machine of the server at 127.0.0.1:3000",
      "revoked a",
    ]);
  });

  it("belongs to a user, unless it has ended or belongs to a server", async () => {
    const { tokens, time } = await open();
    expect(await tokens.hasTokens()).toBe(false);
    await tokens.addToken(token("s", { server: "127.0.0.1:3000" }), BY);
    expect(await tokens.hasTokens()).toBe(false);
    await tokens.addToken(token("a"), BY);
    expect(await tokens.hasTokens()).toBe(true);
    await tokens.revokeToken("a", BY);
    expect(await tokens.hasTokens()).toBe(false);
    await tokens.addToken(token("b", { expiresAt: START + 1 }), BY);
    expect(await tokens.hasTokens()).toBe(true);
    time.pass(1);
    expect(await tokens.hasTokens()).toBe(false);
  });
});

describe("the list of tokens", () => {
  it("is sorted newest first, in pages, without servers' tokens that have ended", async () => {
    const { tokens } = await open();
    for (const one of [token("a"), token("b"), token("s", { server: "h:1" }), token("t", { server: "h:2" })])
      await tokens.addToken(one, BY);
    await tokens.revokeToken("a", BY);
    await tokens.revokeToken("s", BY);
    const all = await tokens.tokens({ limit: 9 });
    expect(all.map(({ id }) => id)).toEqual(["t", "b", "a"]);
    expect("hash" in (all[0] ?? {})).toBe(false);
    const [first] = await tokens.tokens({ limit: 1 });
    expect(first?.id).toBe("t");
    expect((await tokens.tokens({ limit: 9, before: first?.place })).map(({ id }) => id)).toEqual(["b", "a"]);
  });
});
