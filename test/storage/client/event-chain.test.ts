import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { newUse } from "../../../src/model/limits.ts";
import type { TurnCalls } from "../../../src/storage/client/call-queue.ts";
import {
  type ActorAction,
  headOfRow,
  PEOPLE_CHAIN,
  type WriteMoment,
  writeDeed,
  writePass,
  writeText,
} from "../../../src/storage/client/event-chain.ts";
import { opened, START } from "../../adapters/libsql/stores/opened.ts";
import { BY } from "../../support/by.ts";

const ACCOUNT = "sandbox:kraken:";
const format = (message: string, account = "") => ({
  account,
  strategy: null,
  kind: "limits" as const,
  message,
});
const overtaken = () => new Error("UNIQUE constraint failed: events.chain, events.seq");

async function chained() {
  const { context } = await opened();
  const { client } = context;
  const chain = async (name = PEOPLE_CHAIN) =>
    (
      await client.execute({
        sql: "select seq, message from events where chain = ? order by seq",
        args: [name],
      })
    ).rows.map((row) => `${row[0]} ${row[1]}`);
  const make =
    (message: string, where?: ReturnType<typeof sql>) =>
    async ({ tell }: WriteMoment) => [await tell(format(message), where)];
  const write = (message: string, where?: ReturnType<typeof sql>) =>
    writeText(context, BY, make(message, where));
  /** A turn whose calls are counted; so many of its writes fail at first. */
  const counting = (failures: number, failure: () => Error) => {
    const count = { reads: 0, writes: 0 };
    const counted = (calls: TurnCalls): TurnCalls => ({
      execute(statement, use) {
        count.reads++;
        return calls.execute(statement, use);
      },
      batch(statements, mode, use) {
        return ++count.writes <= failures ? Promise.reject(failure()) : calls.batch(statements, mode, use);
      },
    });
    const run = (deed: ActorAction) => client.turn((calls) => writeDeed(context, deed, counted(calls)));
    return { count, run };
  };
  return { context, client, chain, make, write, counting };
}

describe("an event of a user action", () => {
  it("follows the previous one, and is cached as the newest", async () => {
    const { context, chain, write } = await chained();
    await write("a");
    expect(context.newest.ofPeople?.seq).toBe(1);
    await write("b");
    expect([await chain(), context.newest.ofPeople?.seq]).toEqual([["1 a", "2 b"], 2]);
  });

  it("leaves the newest unchanged if it is not written", async () => {
    const { context, chain, write } = await chained();
    await write("a");
    const before = context.newest.ofPeople;
    await write("b", sql`0`);
    expect([await chain(), context.newest.ofPeople]).toEqual([["1 a"], before]);
    await writeText(context, BY, async () => []);
    expect(context.newest.ofPeople).toEqual(before);
  });

  it("clears the cached newest after a write with unknown outcome", async () => {
    const { context, write, make, counting } = await chained();
    await write("a");
    const { run } = counting(1, () => new Error("no answer"));
    await expect(run({ by: BY, make: make("b") })).rejects.toThrow("no answer");
    expect(context.newest.ofPeople).toBeUndefined();
  });

  it("waits for those that came before it, unless it has priority", async () => {
    const { context, chain, make } = await chained();
    const turn = (message: string, isFirst?: boolean) =>
      writeText(context, BY, make(message), isFirst === undefined ? {} : { isFirst });
    await Promise.all([turn("a"), turn("b"), turn("c"), turn("kill", true)]);
    expect(await chain()).toEqual(["1 a", "2 kill", "3 b", "4 c"]);
  });

  it("is rebuilt where another process wrote first, and reports any other failure", async () => {
    const { chain, make, counting } = await chained();
    const { count, run } = counting(2, overtaken);
    await run({ by: BY, make: make("a") });
    expect([count, await chain()]).toEqual([{ reads: 3, writes: 3 }, ["1 a"]]);
    const other = counting(1, () => new Error("disk full"));
    await expect(other.run({ by: BY, make: make("b") })).rejects.toThrow("disk full");
    expect(other.count.writes).toBe(1);
  });

  it("gives up after two hundred events of others that came first", async () => {
    const { make, counting } = await chained();
    const { count, run } = counting(1000, overtaken);
    await expect(run({ by: BY, make: make("a") })).rejects.toThrow("other writes conflict with this one");
    expect(count.writes).toBe(200);
  });

  it("is written without a read where the newest is cached, and with one if that is outdated", async () => {
    const { chain, write, make, counting, client } = await chained();
    const known = { at: START + 7, holds: sql`1` };
    const observed: boolean[] = [];
    const deed = (message: string, holds = known.holds) => ({
      by: BY,
      known: { ...known, holds },
      make: async (moment: WriteMoment) => {
        observed.push(moment.isGuarded);
        return make(message)(moment);
      },
    });
    const written = async (message: string, holds?: ReturnType<typeof sql>) => {
      const { count, run } = counting(0, overtaken);
      const results = await run(deed(message, holds));
      return [count.reads, results.length];
    };
    // Nothing is known of the newest yet.
    expect(await written("a")).toEqual([1, 1]);
    expect(await written("b")).toEqual([0, 1]);
    expect(await written("c", sql`0`)).toEqual([1, 1]);
    expect(observed).toEqual([false, true, true, false]);
    await write("d");
    expect(await chain()).toEqual(["1 a", "2 b", "3 c", "4 d"]);
    const { rows } = await client.execute("select at from events where seq <= 3");
    expect(rows.map((row) => row[0])).toEqual([START + 7, START + 7, START + 7]);
  });

  it("with a cached predecessor reports a failure, and is not written another way", async () => {
    const { chain, write, make, counting } = await chained();
    await write("a");
    const { count, run } = counting(1, () => new Error("no answer"));
    const known = { at: START, holds: sql`1` };
    await expect(run({ by: BY, make: make("b"), known })).rejects.toThrow("no answer");
    expect([count.writes, await chain()]).toEqual([1, ["1 a"]]);
  });
});

describe("the events of a pass", () => {
  it("follow one another in their account's chain, and its head is returned", async () => {
    const { context, chain } = await chained();
    const use = newUse();
    const pass = (head: Parameters<typeof writePass>[1]["head"], messages: readonly string[]) =>
      writePass(
        context,
        { account: ACCOUNT, head, use },
        messages.map((message) => ({ ...format(message, ACCOUNT), at: START })),
        (inserts) => [...inserts],
      );
    const first = await pass(undefined, ["a", "b"]);
    expect([first.head?.seq, first.results.length]).toEqual([2, 2]);
    const second = await pass(first.head, ["c"]);
    expect(second.head?.seq).toBe(3);
    // What a pass knows may be older than what it has written: an answer was lost.
    const third = await pass(first.head, ["d"]);
    expect([third.head?.seq, await chain(ACCOUNT)]).toEqual([4, ["1 a", "2 b", "3 c", "4 d"]]);
    const none = await pass(third.head, []);
    expect([none.head, none.results]).toEqual([third.head, []]);
  });
});

it("a row outside any chain is no chain's head", () => {
  const row = { seq: 3, hash: "h" } as Parameters<typeof headOfRow>[0];
  expect(headOfRow(row)).toEqual({ seq: 3, hash: "h" });
  const none = { seq: 0, hash: "" };
  for (const over of [{ seq: null }, { hash: null }])
    expect(headOfRow({ ...row, ...over } as Parameters<typeof headOfRow>[0])).toEqual(none);
  expect(headOfRow(undefined)).toEqual(none);
});
