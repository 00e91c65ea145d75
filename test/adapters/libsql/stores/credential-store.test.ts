import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditStore } from "../../../../src/adapters/libsql/audit-store.ts";
import { credentialStore } from "../../../../src/adapters/libsql/credential-store.ts";
import { NO_MEMORY } from "../../../../src/model/memory.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { importKek } from "../../../../src/storage/client/envelope.ts";
import { accounts } from "../../../../src/storage/tables/trading-tables.ts";
import { credentials } from "../../../../src/storage/tables/venue-tables.ts";
import { BY } from "../../../support/by.ts";
import { canary } from "../../../support/canary.ts";
import { opened, START } from "./opened.ts";

const KRAKEN = "live:kraken:api.kraken.com";
const MEXC = "live:mexc:api.mexc.com";
const kek = (byte: number) => importKek(new Uint8Array(32).fill(byte));
const keys = (name: string, over: object = {}) => ({
  key: canary(`${name} key`),
  secret: canary(`${name} secret`),
  ...over,
});
const first = await kek(1);
const second = await kek(2);

async function open() {
  const { context, time } = await opened();
  const readOutput = async () => (await auditStore(context).eventsAfter(0, 99)).map(({ message }) => message);
  const failing = (account: string) =>
    context.client.execute(
      statement(
        context.db
          .insert(accounts)
          .values({ account: account as never, memory: NO_MEMORY, retryAt: 9e15, failures: 4 }),
      ),
    );
  const standing = async (account: string) => {
    const [row] = await context.db
      .select()
      .from(accounts)
      .where(eq(accounts.account, account as never));
    return [row?.retryAt, row?.failures];
  };
  return {
    context,
    time,
    readOutput,
    failing,
    standing,
    store: credentialStore(context, [first]),
  };
}

describe("exchange keys in the database", () => {
  it("are returned as they were stored, per account, and never stored in plain text", async () => {
    const { store, context } = await open();
    const [mine, theirs] = [keys("kraken"), keys("mexc", { passphrase: canary("passphrase") })];
    await store.put(KRAKEN, mine, BY);
    await store.put(MEXC, theirs, BY);
    expect(await store.get(KRAKEN)).toEqual({ ...mine, passphrase: undefined });
    expect(await store.get(MEXC)).toEqual(theirs);
    expect(await store.get("live:gateio:api.gateio.ws")).toBeUndefined();
    const rows = JSON.stringify(await context.db.select().from(credentials));
    for (const secret of Object.values({ ...mine, ...theirs })) expect(rows).not.toContain(secret);
    expect(
      (await context.db.select().from(credentials)).map(({ passphrase }) => passphrase === null),
    ).toEqual([true, false]);
  });

  it("retain no passphrase of the keys that they replace", async () => {
    const { context } = await opened();
    const store = credentialStore(context, [first]);
    await store.put(KRAKEN, keys("old", { passphrase: canary("old passphrase") }), BY);
    await store.put(KRAKEN, keys("new"), BY);
    expect(await store.get(KRAKEN)).toEqual({ ...keys("new"), passphrase: undefined });
  });

  it("are listed by account, without the keys", async () => {
    const { store, time } = await open();
    await store.put(MEXC, keys("mexc"), BY);
    time.pass(5);
    await store.put(KRAKEN, keys("kraken"), BY);
    expect(await store.list()).toEqual([
      { account: KRAKEN, createdAt: START + 5 },
      { account: MEXC, createdAt: START },
    ]);
    expect((await store.opened()).map(({ account }) => account)).toEqual([KRAKEN, MEXC]);
  });

  it("require the operator's key, and report which cannot be opened without it", async () => {
    const { context, store } = await open();
    await expect(credentialStore(context, []).put(KRAKEN, keys("kraken"), BY)).rejects.toThrow(
      "EDGEMAKER_KEK is not set; it encrypts stored exchange keys",
    );
    expect(await store.list()).toEqual([]);
    await store.put(KRAKEN, keys("kraken"), BY);
    const mexc = keys("mexc");
    await credentialStore(context, [second]).put(MEXC, mexc, BY);
    const [mine, theirs] = await credentialStore(context, [second]).opened();
    expect([mine?.account, mine?.keys, typeof mine?.trouble]).toEqual([KRAKEN, undefined, "string"]);
    expect(theirs).toEqual({ account: MEXC, keys: { ...mexc, passphrase: undefined } });
    await expect(credentialStore(context, [second]).get(KRAKEN)).rejects.toThrow(String(mine?.trouble));
  });

  it("are replaced and removed per account, and both are logged as events", async () => {
    const { store, readOutput } = await open();
    await store.put(KRAKEN, keys("kraken"), BY);
    await store.put(MEXC, keys("mexc"), BY);
    const newer = keys("newer");
    await store.put(KRAKEN, newer, BY);
    expect(await store.get(KRAKEN)).toEqual({ ...newer, passphrase: undefined });
    expect(await store.remove(KRAKEN, BY)).toBe(true);
    expect(await store.remove(KRAKEN, BY)).toBe(false);
    expect([await store.get(KRAKEN), (await store.list()).length]).toEqual([undefined, 1]);
    expect((await readOutput()).map((line) => line.replace(/.*(stored|replaced|removed).*/, "$1"))).toEqual([
      "stored",
      "stored",
      "replaced",
      "removed",
    ]);
  });

  it("let only their account be retried at once", async () => {
    const { store, failing, standing } = await open();
    await failing(KRAKEN);
    await failing(MEXC);
    await store.put(KRAKEN, keys("kraken"), BY);
    expect([await standing(KRAKEN), await standing(MEXC)]).toEqual([
      [0, 0],
      [9e15, 4],
    ]);
  });
});

describe("a new operator key", () => {
  it("rewraps the keys of the former one once, with an event for each", async () => {
    const { context, store, readOutput } = await open();
    const [mine, theirs] = [keys("kraken"), keys("mexc")];
    await store.put(KRAKEN, mine, BY);
    const both = credentialStore(context, [second, first]);
    await both.put(MEXC, theirs, BY);
    expect(await both.rotate(BY)).toBe(1);
    expect(await both.rotate(BY)).toBe(0);
    const alone = credentialStore(context, [second]);
    expect(await alone.get(KRAKEN)).toEqual({ ...mine, passphrase: undefined });
    expect(await alone.get(MEXC)).toEqual({ ...theirs, passphrase: undefined });
    expect(
      (await readOutput()).filter((line) => line.includes("encrypted with another EDGEMAKER_KEK")),
    ).toHaveLength(1);
  });
});
