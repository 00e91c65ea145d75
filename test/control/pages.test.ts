import { describe, expect, it } from "vitest";
import { BY } from "../support/by.ts";
import { edgemaker } from "../support/command.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

describe("tokens", () => {
  it("are listed in pages, newest first, including revoked ones", async () => {
    const { store } = await testSandbox();
    for (let i = 0; i < 5; i++)
      await store.addToken({ id: `tok_${i}`, name: "", scope: "read", expiresAt: null, hash: `${i}` }, BY);
    await store.revokeToken("tok_3", BY);
    const pages: string[][] = [];
    let before: number | undefined;
    for (;;) {
      const page = await store.tokens({ limit: 2, before });
      pages.push(page.map(({ id }) => id));
      before = page.at(-1)?.place;
      if (page.length < 2) break;
    }
    expect(pages).toEqual([["tok_4", "tok_3"], ["tok_2", "tok_1"], ["tok_0"]]);
  });

  it("are listed in pages on the command line, which shows how to get the next page", async () => {
    const folder = tempFolder();
    for (const name of ["a", "b", "c"])
      await edgemaker(folder, ["token", "create", "--name", name, "--sandbox"]);
    const list = async (...args: string[]) =>
      JSON.parse(
        (await edgemaker(folder, ["token", "list", "--limit", "2", "--sandbox", "--json", ...args])).stdout,
      ) as {
        tokens: readonly { name: string }[];
        next: number | null;
      };
    const first = await list();
    expect(first).toMatchObject({ tokens: [{ name: "c" }, { name: "b" }], next: expect.any(Number) });
    expect(await list("--before", String(first.next))).toMatchObject({ tokens: [{ name: "a" }], next: null });
  });
});

describe("agent plans", () => {
  it("are listed in pages, oldest first, without extra reads for expired ones", async () => {
    const { deps, store, context, time } = await testSandbox();
    const preview = { what: "", cost: "", worstCase: "", limits: [] };
    const add = (i: number) =>
      store.addPlan({
        id: `plan_${i}`,
        binding: `${i}`,
        actor: "a",
        tool: "t",
        input: {},
        preview: preview as never,
        life: 1000,
      });
    for (let i = 0; i < 3; i++) await add(i);
    time.pass(2000);
    for (let i = 3; i < 8; i++) await add(i);
    const list = (page: object) =>
      runOperation<{ plans: readonly { id: string }[]; next: number | null }>(deps, "list_plans", page);
    const first = await list({ limit: 3 });
    expect(first.plans.map(({ id }) => id)).toEqual(["plan_3", "plan_4", "plan_5"]);
    const rest = await list({ limit: 3, after: first.next });
    expect(rest).toMatchObject({ plans: [{ id: "plan_6" }, { id: "plan_7" }], next: null });
    const plan = await context.client.execute(
      "explain query plan select id from plans where consumed_at is null and expires_at > 5 and +plans.rowid > 3 order by +plans.rowid limit 3",
    );
    expect(String(plan.rows[0]?.detail)).toMatch(/USING INDEX plans_by_age \(expires_at>\?\)/);
  });
});
