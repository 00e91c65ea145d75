import type { InValue, ResultSet } from "@libsql/client";
import { type SQL, sql } from "drizzle-orm";
import { digest } from "../../kernel/digest.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  type ActorAndRequest,
  BY_PASS,
  EVERY_ACCOUNT,
  type Event,
  type EventView,
  eventText,
} from "../../model/events.ts";
import type { DatabaseUse } from "../../model/limits.ts";
import { events } from "../tables/trading-tables.ts";
import { isFencedOff, isOvertaken, type TurnCalls } from "./call-queue.ts";
import { type ChainHead, type Context, type Statement, statement, unless } from "./context.ts";

const NO_HEAD: ChainHead = { seq: 0, hash: "" };

/** Chain of people's actions; only passes write an account's chain, under its lease. */
export const PEOPLE_CHAIN = EVERY_ACCOUNT;

/** Maximum number of attempts; each one fails only because another process has written an event. */
const CHAIN_TRIES = 200;

/** The moment in which a person's action is written. */
export interface WriteMoment {
  readonly now: Millis;
  readonly calls: TurnCalls;
  /** Whether the batch itself checks what is known of the database. */
  readonly isGuarded: boolean;
  /** Returns the statement that writes the event, only if a condition is true in its batch. At most one per batch. */
  tell(eventView: EventView, where?: SQL): Promise<Statement>;
}

/** Protocol time that was just read, and the condition under which the newest event need not be read again. */
interface KnownMoment {
  readonly at: Millis;
  readonly holds: SQL;
}

/** A person's action, with its event. */
export interface ActorAction {
  readonly by: ActorAndRequest;
  readonly make: (moment: WriteMoment) => Promise<readonly Statement[]>;
  readonly known?: KnownMoment | undefined;
}

/**
 * Writes a person's action and its event as one batch. The event follows the newest one that this process knows or
 * has just read; if another process was faster, both are built again. The kill switch has priority.
 */
export const writeText = (
  context: Context,
  by: ActorAndRequest,
  make: ActorAction["make"],
  { isFirst = false, known }: Pick<ActorAction, "known"> & { readonly isFirst?: boolean } = {},
): Promise<ResultSet[]> =>
  context.client.turn((calls) => writeDeed(context, { by, make, known }, calls), isFirst);

/** Does the same within the caller's turn. */
export async function writeDeed(
  context: Context,
  { by, make, known }: ActorAction,
  calls: TurnCalls,
): Promise<ResultSet[]> {
  const { newest, now } = context;
  const last = newest.ofPeople;
  if (known && last) {
    const moment = { now: known.at, calls, guards: unlessNewest(last, known), head: last };
    const results = await writeAfter(context, by, make, moment).catch((error: unknown) => {
      if (!isFencedOff(error)) throw error;
    });
    if (results) return results;
  }
  return untilFirst(async () => {
    const found = await calls.execute(statement(sql`select ${now()}, ${newestOf(PEOPLE_CHAIN)}`));
    const [at, head] = [Number(found.rows[0]?.[0]), headFrom(found.rows[0]?.[1])];
    return writeAfter(context, by, make, { now: known?.at ?? at, calls, guards: [], head });
  });
}

/** Statements that end their batch if the newest event of people, or the database, has changed. */
const unlessNewest = ({ seq, hash }: ChainHead, { holds }: KnownMoment): Statement[] =>
  unless(sql`${newestOf(PEOPLE_CHAIN)} is ${JSON.stringify([seq, hash])} and ${holds}`);

type AfterHead = Pick<WriteMoment, "now" | "calls"> & {
  readonly guards: readonly Statement[];
  readonly head: ChainHead;
};

async function writeAfter(
  { newest }: Context,
  by: ActorAndRequest,
  make: ActorAction["make"],
  { now, calls, guards, head }: AfterHead,
): Promise<ResultSet[]> {
  let [last, event]: [ChainHead, Statement | undefined] = [head, undefined];
  const tell = async (eventView: EventView, where = sql`1`) => {
    const [linked] = (await linkEvents(head, PEOPLE_CHAIN, [{ ...eventView, at: now, ...by }])) as [Linked];
    last = { seq: linked.seq, hash: linked.hash };
    event = insertLinked(linked, where);
    return event;
  };
  const statements = [...guards, ...(await make({ now, calls, isGuarded: guards.length > 0, tell }))];
  // The newest event is unknown unless the write is confirmed.
  newest.ofPeople = undefined;
  const results = await calls.batch(statements, "write");
  const isReported = event !== undefined && (results[statements.indexOf(event)]?.rowsAffected ?? 0) > 0;
  newest.ofPeople = isReported ? last : head;
  return results.slice(guards.length);
}

/** For a pass: the newest known event of its account's chain, and the cost of its requests. */
interface PassChain {
  readonly account: string;
  readonly head: ChainHead | undefined;
  readonly use: DatabaseUse | undefined;
}

/** Writes a pass's changes with its events; also returns the chain's new head. */
export async function writePass(
  { client }: Context,
  { account, head, use }: PassChain,
  news: readonly Event[],
  make: (inserts: readonly Statement[]) => Statement[],
): Promise<{ readonly results: ResultSet[]; readonly head: ChainHead | undefined }> {
  if (news.length === 0) return { results: await client.batch(make([]), "write", use), head };
  let last = head;
  const results = await client.turn((calls) => {
    let known = head;
    return untilFirst(async () => {
      const linked = await linkEvents(
        known ?? (await readChainHead(calls, account, use)),
        account,
        news.map((event) => ({ ...event, ...BY_PASS })),
      );
      // The known event was not the newest: a write that seemed to fail was stored.
      known = undefined;
      last = linked.at(-1);
      return calls.batch(make(linked.map((linked) => insertLinked(linked))), "write", use);
    });
  });
  return { results, head: last };
}

async function untilFirst<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOvertaken(error) || attempts === CHAIN_TRIES) throw error;
    }
  }
}

/** Returns the newest event of a chain as JSON text. */
const newestOf = (chain: SQL | string): SQL =>
  sql`(select json_array(seq, hash) from ${events} where ${events.chain} = ${chain} order by ${events.seq} desc limit 1)`;

/** Returns the head from a row of the table. */
export const headOfRow = (row: typeof events.$inferSelect | undefined): ChainHead =>
  row && row.seq !== null && row.hash !== null ? { seq: row.seq, hash: row.hash } : NO_HEAD;

function headFrom(found: unknown): ChainHead {
  if (typeof found !== "string") return NO_HEAD;
  const [seq, hash] = JSON.parse(found) as [number, string];
  return { seq, hash };
}

const readChainHead = async (
  calls: TurnCalls,
  chain: string,
  use: DatabaseUse | undefined,
): Promise<ChainHead> =>
  headFrom((await calls.execute(statement(sql`select ${newestOf(chain)}`), use)).rows[0]?.[0]);

type Linked = Event & ActorAndRequest & ChainHead & { readonly chain: string };

/** Adds the chain position to events, each after the one before it. */
async function linkEvents(
  head: ChainHead,
  chain: string,
  items: readonly (Event & ActorAndRequest)[],
): Promise<Linked[]> {
  const linked: Linked[] = [];
  let { seq, hash } = head;
  for (const one of items) {
    seq++;
    hash = await digest(eventText(hash, { ...one, chain, seq }));
    linked.push({ ...one, chain, seq, hash });
  }
  return linked;
}

const CHAINED_COLUMNS = [
  "account",
  "strategy",
  "at",
  "kind",
  "message",
  "actor",
  "request",
  "chain",
  "seq",
  "hash",
] as const;
const CHAINED_NAMES = sql.raw(CHAINED_COLUMNS.map((name) => `"${name}"`).join(", "));

const intoEvents = lazy(
  () =>
    `${statement(sql`insert into ${events} (${CHAINED_NAMES}) select `).sql}${CHAINED_COLUMNS.map(() => "?").join(", ")} where `,
);

function insertLinked(event: Linked, where = sql`1`): Statement {
  const holds = statement(where);
  const values = CHAINED_COLUMNS.map((name) => event[name] as InValue);
  return { sql: `${intoEvents()}${holds.sql}`, args: [...values, ...holds.args] };
}
