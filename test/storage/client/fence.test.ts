import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createStore } from "../../../src/adapters/libsql/stores/store.ts";
import { NO_STOP } from "../../../src/kernel/fields.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import { guarded, statement, unless, wishUnchanged } from "../../../src/storage/client/context.ts";
import { accounts } from "../../../src/storage/tables/tables.ts";
import { opened } from "../../adapters/libsql/stores/opened.ts";
import { started } from "../../adapters/libsql/stores/rows.ts";
import { BY } from "../../support/by.ts";

const TOKEN = 7;
const TIMES = { now: 0, until: 0 };
const MARK = { sql: "update accounts set error = 'written'", args: [] };

async function leased() {
  const { context } = await opened();
  const { client, db } = context;
  for (const [account, token] of [
    ["ours", TOKEN],
    ["another", TOKEN + 1],
  ] as const)
    await client.execute(
      statement(db.insert(accounts).values({ account, token, owner: "us", memory: NO_MEMORY })),
    );
  const count = async (text: string) =>
    Number((await client.execute(`select count(*) from ${text}`)).rows[0]?.[0]);
  return {
    context,
    client,
    written: () => count("accounts where error = 'written'"),
    left: () => count("fence_guard"),
  };
}

describe("a write under a lease", () => {
  it("is done while the lease is ours, and leaves nothing else behind", async () => {
    const { context, client, written, left } = await leased();
    const lease = { account: "ours", token: TOKEN, owner: "us", ...TIMES };
    for (let time = 0; time < 2; time++) await client.batch(guarded(context, lease, [MARK]), "write");
    expect([await written(), await left()]).toEqual([2, 0]);
  });

  it.each([
    ["another's since", { account: "ours", token: TOKEN - 1, owner: "us" }],
    [
      "another's with the same token, as the database has lost ours",
      { account: "ours", token: TOKEN, owner: "they" },
    ],
    ["of another account", { account: "ours", token: TOKEN + 1, owner: "us" }],
    ["of an account that is not there", { account: "none", token: TOKEN, owner: "us" }],
  ])("is not done where the lease is %s", async (_what, lease) => {
    const { context, client, written, left } = await leased();
    await expect(
      client.batch(guarded(context, { ...lease, ...TIMES }, [MARK]), "write"),
    ).rejects.toMatchObject({
      failure: "fenced",
      message: "another process has the lease now",
    });
    expect([await written(), await left()]).toEqual([0, 0]);
  });
});

it.each([["does not hold", sql`0`] as const, ["nobody can tell", sql`null`] as const])(
  "a conditional write is not done where that %s",
  async (_what, holds) => {
    const { client, written, left } = await leased();
    await expect(client.batch([...unless(holds), MARK], "write")).rejects.toMatchObject({
      failure: "fenced",
    });
    expect([await written(), await left()]).toEqual([0, 0]);
  },
);

describe("a write that depends on a requested strategy state", () => {
  it("is done while that state is unchanged, whatever is requested of others", async () => {
    const { context, client, left } = await leased();
    const store = createStore(context);
    const [one, other] = [
      (await store.createStrategy(started(), BY)) as Strategy,
      (await store.createStrategy(started(), BY)) as Strategy,
    ];
    const wish = { id: one.id, wants: "run" as const, ...NO_STOP };
    const write = (over: object) =>
      client.batch([...wishUnchanged({ ...wish, ...over }), MARK], "write").then(
        () => "written",
        (error: { failure?: string }) => error.failure,
      );
    expect(await write({})).toBe("written");
    for (const over of [{ wants: "stop" }, { keepOrders: true }, { sellBase: true }, { id: "none" }])
      expect(await write(over)).toBe("fenced");
    await store.setWants(other.id, "stop", { ...NO_STOP, sellBase: true }, BY);
    expect(await write({})).toBe("written");
    await store.setWants(one.id, "stop", { ...NO_STOP, sellBase: true }, BY);
    expect([await write({}), await write({ wants: "stop", sellBase: true }), await left()]).toEqual([
      "fenced",
      "written",
      0,
    ]);
  });
});
