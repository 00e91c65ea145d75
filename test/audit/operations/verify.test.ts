import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { importSigner } from "../../../src/adapters/stored-keys.ts";
import { type Verdict, verify } from "../../../src/audit/operations/audit.ts";
import { DAY } from "../../../src/kernel/time.ts";
import { bearer } from "../../contract/suite.ts";
import { testApp } from "../../support/app.ts";
import { BY } from "../../support/by.ts";
import { canaryKek } from "../../support/canary.ts";
import { edgemaker, serve } from "../../support/command.ts";
import { testSandbox } from "../../support/sandbox.ts";
import { startSqld } from "../../support/sqld.ts";
import { tempFolder } from "../../support/temp.ts";

const KEK = canaryKek("a");
const signerOf = (kek: string) => importSigner(Uint8Array.from(atob(kek), (letter) => letter.charCodeAt(0)));
const signer = () => signerOf(KEK);

/** Twelve events of people and what an intruder at the database itself can do: triggers do not stop one. */
async function readOutput({ isSigned = true } = {}) {
  const signers = async () => (isSigned ? [await signer()] : []);
  const box = await testSandbox();
  const { store, context, time } = box;
  for (let i = 0; i < 12; i++) {
    await store.addToken({ id: `tok_${i}`, name: "", scope: "read", expiresAt: null, hash: `${i}` }, BY);
    time.pass(DAY);
  }
  const intrude = async (...statements: readonly string[]) => {
    for (const name of ["events_append_only", "events_stay", "checkpoints_append_only", "checkpoints_stay"])
      await context.client.execute(`drop trigger ${name}`);
    for (const statement of statements) await context.client.execute(statement);
  };
  const check = async () => verify(store, await signers());
  const texts = ({ faults }: Verdict) => faults.map(({ event, what }) => `${event}: ${what}`);
  const faults = async () => texts(await check());
  /** The same, so many events at a time. */
  const inParts = async (maxEvents: number) => {
    const all: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const part: Verdict = await verify(store, await signers(), { after, maxEvents });
      expect(part.events).toBeLessThanOrEqual(maxEvents);
      all.push(...texts(part).filter((text) => !all.includes(text)));
      after = part.next;
    }
    return all;
  };
  return { ...box, intrude, check, faults, inParts };
}

describe("edgemaker audit verify", () => {
  it("reports no fault in an intact chain", async () => {
    const { check } = await readOutput({ isSigned: false });
    expect(await check()).toEqual({
      intact: true,
      events: 12,
      unchained: 0,
      chains: 1,
      checkpoints: 0,
      faults: [],
      next: null,
    });
  });

  it("reports that nothing was signed where there is a key and no checkpoint", async () => {
    const { check, inParts, store } = await readOutput();
    const fault = expect.stringMatching(/there is no checkpoint.*edgemaker audit checkpoint/);
    expect(await check()).toMatchObject({ intact: false, faults: [{ event: null, what: fault }] });
    expect(await inParts(5)).toEqual([fault]);
    await store.checkpoint(await signer(), undefined, BY);
    expect(await check()).toMatchObject({ intact: true, faults: [] });
  });

  it("reports no deletion for events written while it reads", async () => {
    const { store } = await readOutput();
    const eventsAfter: typeof store.eventsAfter = async (id, limit) => {
      const page = await store.eventsAfter(id, limit);
      await store.note({ account: "", strategy: null, kind: "audit", message: "meanwhile" }, BY);
      return page;
    };
    expect((await verify({ ...store, eventsAfter }, [])).faults).toEqual([]);
    expect(await store.eventCount()).toBe(13);
  });

  it.each([
    ["a message that was changed", ["update events set message = 'x' where id = 5"], [/^5: .*was changed/]],
    ["an actor that was changed", ["update events set actor = 'tok_b' where id = 1"], [/^1: .*was changed/]],
    ["a time that was changed", ["update events set at = at + 1 where id = 12"], [/^12: .*was changed/]],
    ["an event that was deleted", ["delete from events where id = 6"], [/^7: .*follows number 5: 1 before/]],
    ["the first event deleted", ["delete from events where id = 1"], [/^2: .*1 before it were deleted/]],
    [
      "an event that was put in",
      ["insert into events (account, at, kind, message) values ('', 0, 'kill', 'off')"],
      [/^13: .*belongs to no chain: it was inserted/],
    ],
    [
      "one that was put in with a place of its own",
      [
        "insert into events select 13, account, strategy, at, kind, message, actor, request, chain, 13, hash from events where id = 3",
      ],
      [/^13: .*was changed/],
    ],
    [
      "two that have changed places",
      [
        "update events set seq = -1 where id = 4",
        "update events set seq = 4 where id = 8",
        "update events set seq = 8 where id = 4",
      ],
      [/^4: .*follows number 3/, /^5: .*moved or inserted/],
    ],
    [
      "two whose rows have changed places",
      [
        "update events set id = -1 where id = 4",
        "update events set id = 4 where id = 8",
        "update events set id = 8 where id = -1",
      ],
      [/^4: .*follows number 3/, /^5: .*moved or inserted/],
    ],
    [
      "the newest events cut off",
      ["delete from events where id > 9"],
      [/^null: the events after 9 were deleted/],
    ],
  ])("finds %s, and names its row", async (_what, statements, expected) => {
    const { intrude, faults, inParts } = await readOutput({ isSigned: false });
    await intrude(...statements);
    const found = await faults();
    expect(await inParts(13)).toEqual(found);
    // What was moved across parts is told in other words, of another event it may be.
    for (const most of [1, 4, 5, 12])
      if (/moved/.test(found.join())) expect((await inParts(most)).length).toBeGreaterThan(0);
      else expect(await inParts(most)).toEqual(found);
    for (const [place, form] of expected.entries()) expect(found[place]).toMatch(form);
  });
});

describe("a checkpoint", () => {
  it("detects an attacker who makes all hashes and counts consistent again", async () => {
    const { store, intrude, faults, inParts, context } = await readOutput();
    await store.checkpoint(await signer(), undefined, BY);
    await intrude(
      "delete from events where id > 9",
      "update sqlite_sequence set seq = 9 where name = 'events'",
    );
    expect(await faults()).toEqual([
      "null: the chain of manual actions ends at number 9, but checkpoint 1 signed 12",
    ]);
    expect(await inParts(2)).toEqual(await faults());
    // The same with rows of another's making in their place, each of which fits the one before it.
    for (let i = 0; i < 4; i++)
      await store.addToken(
        { id: `forged_${i}`, name: "", scope: "admin", expiresAt: null, hash: `f${i}` },
        BY,
      );
    expect(await faults()).toEqual([
      expect.stringMatching(/^12: .*differs from the event that checkpoint 1 signed/),
    ]);
    await context.client.execute("update checkpoints set marks = '[]'");
    expect(await faults()).toEqual(["null: checkpoint 1 or the one before it was changed"]);
  });

  it("of another key is reported, and so is a missing one", async () => {
    const { store, intrude, check } = await readOutput();
    await store.checkpoint(await signer(), undefined, BY);
    await store.checkpoint(await signer(), undefined, BY);
    const other = await signerOf(canaryKek("b"));
    expect((await verify(store, [other])).faults[0]?.what).toMatch(/cannot be checked: set the/);
    expect((await verify(store, [])).faults[0]?.what).toMatch(/cannot be checked: set the EDGEMAKER_KEK/);
    await intrude("delete from checkpoints where number = 1");
    expect((await check()).faults[0]?.what).toBe("checkpoint 1 was deleted");
  });

  it("permits old events to be deleted, and only those, and the rest still verifies", async () => {
    const { store, check, context, intrude, faults, inParts } = await readOutput();
    const { cut, checkpoint } = await store.checkpoint(await signer(), 5 * DAY, BY);
    expect(cut).toBe(7);
    expect(checkpoint.marks).toMatchObject([{ chain: "", seq: 12, from: 8 }]);
    await expect(context.client.execute("delete from events where seq = 8")).rejects.toThrow(/append-only/);
    expect(await check()).toMatchObject({ intact: true, events: 6, checkpoints: 1 });
    expect(await inParts(1)).toEqual([]);
    // Nothing older: where it begins stays what was signed.
    expect((await store.checkpoint(await signer(), 100 * DAY, BY)).cut).toBe(0);
    expect((await store.checkpoint(await signer(), undefined, BY)).cut).toBe(0);
    expect(await check()).toMatchObject({ intact: true, checkpoints: 3 });
    await intrude("delete from events where id = 8");
    expect((await faults())[0]).toMatch(/^9: .*follows number 7: 1 before it were deleted/);
  });

  it("permits deleting everything but the newest event", async () => {
    const { store, check, time } = await readOutput();
    time.pass(100 * DAY);
    expect((await store.checkpoint(await signer(), 1 * DAY, BY)).cut).toBe(11);
    expect(await check()).toMatchObject({ intact: true, events: 2 });
  });
});

describe("the audit's queries", () => {
  it("use an index, however many events there are", async () => {
    const { context } = await testSandbox();
    for (const [query, step] of [
      ["select * from events where id > 5 order by id limit 10", /USING INTEGER PRIMARY KEY/],
      [
        "select seq, hash from events where chain = '' order by seq desc limit 1",
        /USING .*INDEX events_chain/,
      ],
      [
        "select seq, hash from events where chain = '' and seq < 5 order by seq desc limit 1",
        /USING .*INDEX events_chain/,
      ],
      ["delete from events where chain = '' and seq < 5", /USING .*INDEX events_chain/],
    ] as const) {
      const plan = await context.client.execute(`explain query plan ${query}`);
      expect(plan.rows.map(({ detail }) => String(detail)).join()).toMatch(step);
    }
  });
});

describe("the audit over HTTP", () => {
  it("lets an administrator read events in pages and verify them, and nobody else", async () => {
    const app = await testApp();
    const { length: events } = await app.store.tokens({ limit: 100 });
    const ask = async (path: string, token: string) => {
      const answer = await app.ask(`/api/v1${path}`, { headers: bearer(token) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const first = await ask("/audit?limit=1", app.tokens.admin);
    expect(first).toMatchObject({
      status: 200,
      body: { count: 1, next: 1, events: [{ kind: "token", seq: 1 }] },
    });
    expect(await ask("/audit?after=1", app.tokens.admin)).toMatchObject({
      body: { count: events - 1, next: null },
    });
    expect(await ask("/audit/verify", app.tokens.admin)).toMatchObject({
      body: { intact: true, events, next: null },
    });
    expect(await ask("/audit/verify?after=1", app.tokens.admin)).toMatchObject({
      body: { intact: true, events: events - 1, next: null },
    });
    for (const path of ["/audit", "/audit/verify"])
      expect((await ask(path, app.tokens.trade)).status).toBe(403);
  });

  it("records a thousand wrong tokens as one event, and more of them later", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox"]);
    const wrong = () =>
      server.ask("/api/v1/balance?exchange=kraken", { headers: { authorization: "Bearer em_nobody" } });
    for (let i = 0; i < 20; i++) expect((await wrong()).status).toBe(401);
    const response = await server.ask("/api/v1/audit");
    const { events } = (await response.json()) as { events: readonly { kind: string; message: string }[] };
    expect(events.filter(({ kind }) => kind === "wrong_tokens")).toMatchObject([
      { message: "1 request with a wrong API token since the last event of this kind" },
    ]);
    await server.kill("SIGTERM");
  });
});

async function serverUrl(): Promise<string> {
  const sqld = await startSqld();
  onTestFinished(() => sqld.stop());
  return sqld.url;
}

describe("edgemaker audit", () => {
  it.each(["a file", "sqld"])(
    "signs, exports and verifies on %s, and exits 1 once a row was changed",
    async (where) => {
      const folder = tempFolder();
      const over = { EDGEMAKER_KEK: KEK };
      const db = where === "sqld" ? await serverUrl() : `file:${join(folder, "edge.db")}`;
      const run = (...words: string[]) => edgemaker(folder, [...words, "--sandbox", "--db", db], over);
      for (const name of ["a", "b", "c"]) await run("token", "create", "--name", name);
      const unsigned = await run("audit", "verify");
      expect(unsigned).toMatchObject({ code: 1, stdout: expect.stringContaining("there is no checkpoint") });
      for (const number of [1, 2]) {
        const signed = await run("audit", "checkpoint", "--keep-days", "1", "--json");
        expect({ code: signed.code, ...JSON.parse(signed.stdout) }).toMatchObject({
          code: 0,
          number,
          deleted: 0,
          chains: 1,
        });
      }
      const exported = await run("audit", "export", "--after", "1");
      const lines = exported.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: number });
      expect(lines.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
      expect(lines[0]).toMatchObject({ kind: "token", actor: "local", chain: "", seq: 2 });
      expect(await run("audit", "verify", "--json")).toMatchObject({ code: 0 });
      const client = createClient({ url: db });
      await client.execute("drop trigger events_append_only");
      await client.execute("update events set message = 'created nothing' where id = 2");
      client.close();
      const verified = await run("audit", "verify", "--json");
      expect(verified.code).toBe(1);
      expect(JSON.parse(verified.stdout)).toMatchObject({ intact: false, faults: [{ event: 2 }] });
      expect((await run("audit", "verify")).stdout).toContain("was changed");
    },
  );
});
