import { describe, expect, it } from "vitest";
import { newUse } from "../../../src/model/limits.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";

/** What a server may tell of a statement: github.com/tursodatabase/libsql, docs/HRANA_3_SPEC.md. */
interface Reported {
  readonly rows_read?: unknown;
  readonly rows_written?: unknown;
}
interface Requested {
  readonly type: "execute" | "batch" | "store_sql" | "close";
  readonly batch?: { readonly steps: readonly { readonly stmt: { readonly sql: string } }[] };
}

const ROWS: Reported = { rows_read: 2, rows_written: 1 };
const BUSY = { type: "error", error: { message: "SQLite error: database is locked", code: "SQLITE_BUSY" } };
const result = (output: Reported) => ({
  cols: [],
  rows: [],
  affected_row_count: 0,
  last_insert_rowid: null,
  ...output,
});

function answerTo({ type, batch }: Requested, output: Reported | undefined) {
  if (output === undefined && type !== "close") return BUSY;
  if (type === "close" || type === "store_sql") return { type: "ok", response: { type } };
  if (type === "execute") return { type: "ok", response: { type, result: result(output ?? {}) } };
  const steps = batch?.steps ?? [];
  const step_results = steps.map((_step, place) => result(place === 0 ? {} : (output ?? {})));
  return { type: "ok", response: { type, result: { step_results, step_errors: steps.map(() => null) } } };
}

/** A server whose answers are what a test says: the rows that it tells, undefined where it is busy, or a whole answer. */
async function answering(next: () => Reported | Response | undefined, authToken?: string) {
  const time = virtualLocal(0);
  const requestList: { readonly text: string; readonly headers: Headers; readonly signal: unknown }[] = [];
  const fetch = async (input: string | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const text = await request.text();
    requestList.push({ text, headers: request.headers, signal: init?.signal });
    const output = next();
    if (output instanceof Response) return output;
    const { requests } = JSON.parse(text) as { requests: readonly Requested[] };
    return Response.json({
      baton: null,
      base_url: null,
      results: requests.map((one) => answerTo(one, output)),
    });
  };
  const database = { url: "https://db.test", authToken, fetch: fetch as typeof globalThis.fetch };
  return { time, requestList, client: await safeClient(database, time.local) };
}

describe("a call to a server", () => {
  it.each([
    ["a-token", "Bearer a-token"],
    ["", null],
    [undefined, null],
  ])("sends the token %o, and has a time limit", async (authToken, shown) => {
    const { client, requestList } = await answering(() => ROWS, authToken);
    await client.execute("select 1");
    await client.batch(["select 1"], "write");
    expect(requestList.map(({ headers }) => headers.get("authorization"))).toEqual([shown, shown]);
    for (const { signal } of requestList) expect(signal).toBeInstanceOf(AbortSignal);
  });

  it("goes to the primary for reads that a write depends on, and for no other read", async () => {
    const { client, requestList } = await answering(() => ROWS);
    await client.execute("select 1");
    await client.unwaited("select 1");
    await client.batch(["select 1"], "read");
    expect(requestList.map(({ text }) => /begin immediate/i.test(text))).toEqual([false, false, false]);
    requestList.length = 0;
    await client.fresh("select 1");
    await client.turn(async (calls) => [await calls.execute("select 1")]);
    await client.batch(["select 1"], "write");
    expect(requestList.map(({ text }) => /begin immediate/i.test(text))).toEqual([true, true, true]);
  });

  it("is made twelve times while the server stays busy, each time as a request", async () => {
    const { client, requestList, time } = await answering(() => undefined);
    const use = newUse();
    await expect(client.execute("select 1", use)).rejects.toMatchObject({
      failure: "unavailable",
      message: "the database cannot be used: another process holds its lock",
    });
    expect([requestList.length, use.databaseRequests, client.keptWaiting()]).toEqual([12, 12, 0]);
    expect(time.now()).toBeGreaterThan(500);
  });

  it.each([undefined, newUse()])(
    "reports that the server does not respond, whatever it sends: %o",
    async (use) => {
      const page = () => new Response("<html>Bad Gateway</html>", { status: 502 });
      const { client } = await answering(page);
      await expect(client.execute("select 1", use)).rejects.toMatchObject({
        failure: "unavailable",
        message: "the database cannot be used: its server does not respond",
      });
      expect(use?.rowsRead ?? 0).toBe(0);
    },
  );
});

describe("the cost of calls to a server", () => {
  it("is summed, over the statements of a batch too", async () => {
    const { client } = await answering(() => ROWS);
    const use = newUse();
    await client.execute("select 1", use);
    expect(use).toEqual({ databaseRequests: 1, rowsRead: 2, rowsWritten: 1 });
    // The library's own statements around two are a beginning, which tells nothing here, and an end or two.
    await client.batch(["select 1", "select 2"], "read", use);
    expect(use.databaseRequests).toBe(2);
    expect(use.rowsRead).toBe(2 * (use.rowsWritten ?? 0));
    expect(use.rowsWritten).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [{}, null, null],
    [{ rows_read: "2", rows_written: 1 }, null, 1],
    [{ rows_read: 2, rows_written: null }, 2, null],
    [{ rows_read: 0, rows_written: 0 }, 0, 0],
  ])("is unknown where the server does not report it: %o", async (output, rowsRead, rowsWritten) => {
    const { client } = await answering(() => output);
    const use = newUse();
    await client.execute("select 1", use);
    expect(use).toEqual({ databaseRequests: 1, rowsRead, rowsWritten });
  });

  it("stays unknown afterwards", async () => {
    const answers = [ROWS, {}, ROWS];
    const { client } = await answering(() => answers.shift());
    const use = newUse();
    for (let call = 0; call < 3; call++) await client.execute("select 1", use);
    expect(use).toEqual({ databaseRequests: 3, rowsRead: null, rowsWritten: null });
  });

  it.each([[null], [7], [{ results: 7 }], [{ results: [null, { response: null }, {}] }]])(
    "is unknown, and the call fails, where the response is %o",
    async (body) => {
      const { client } = await answering(() => Response.json(body));
      const use = newUse();
      await expect(client.execute("select 1", use)).rejects.toMatchObject({ failure: "unavailable" });
      expect(use).toEqual({ databaseRequests: 1, rowsRead: null, rowsWritten: null });
    },
  );
});

describe("interactive turns on a server", () => {
  it("run one after the other, a priority turn before all that wait", async () => {
    const { client } = await answering(() => ROWS);
    const done: string[] = [];
    const turn = (name: string, isFirst?: boolean) =>
      client.turn(async (calls) => {
        done.push(`${name} begins`);
        const results = await calls.batch(["select 1"], "write");
        done.push(`${name} ends`);
        return results;
      }, isFirst);
    await Promise.all([turn("a"), turn("b"), turn("c", false), turn("kill", true)]);
    expect(done).toEqual(["a", "kill", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("are retried while the server is busy, and soon again after a success", async () => {
    const answers: (Reported | undefined)[] = [...Array(8).fill(undefined), ROWS, undefined, ROWS];
    const { client, time } = await answering(() => answers.shift());
    const turn = () => client.turn((calls) => calls.batch(["select 1"], "write"));
    await turn();
    const after = time.now();
    await turn();
    expect(time.now() - after).toBeLessThanOrEqual(10);
    expect(after).toBeGreaterThan(300);
  });
});
