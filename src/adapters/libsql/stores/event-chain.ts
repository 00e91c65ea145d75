import type { InValue, ResultSet } from "@libsql/client";
import { type SQL, sql } from "drizzle-orm";
import { eventText } from "../../../audit/chain.ts";
import { digest } from "../../../kernel/digest.ts";
import { lazy } from "../../../kernel/lazy.ts";
import type { Millis } from "../../../kernel/time.ts";
import { BY_STEP, type By, EVERY_ACCOUNT, type Event, type EventView } from "../../../model/events.ts";
import type { DatabaseUse } from "../../../model/usage.ts";
import type { Turned } from "../client/calls.ts";
import { type ChainHead, type Context, type Statement, statement } from "../client/context.ts";
import { unless } from "../client/fence.ts";
import { isFencedOff, isOvertaken } from "../client/store-error.ts";
import { events } from "../tables/tables.ts";

const NO_HEAD: ChainHead = { seq: 0, hash: "" };

/** Of what people do; that of an account is written by its passes alone, under its lease. */
export const OF_PEOPLE = EVERY_ACCOUNT;

/** So often others may have been first: each time one of them has written its own. */
const CHAIN_TRIES = 200;

/** The moment in which a person's deed is written. */
export interface Moment {
  readonly now: Millis;
  readonly calls: Turned;
  /** What is known of the database is held against it by the batch itself. */
  readonly isGuarded: boolean;
  /** The statement that writes the event; only where something holds in its batch. At most one of a batch. */
  tell(eventView: EventView, where?: SQL): Promise<Statement>;
}

/** Protocol time, read a moment ago, and what has to hold beside it for the newest event not to be read once more. */
export interface KnownMoment {
  readonly at: Millis;
  readonly holds: SQL;
}

/** What a person does, and whose event tells of it. */
export interface Deed {
  readonly by: By;
  readonly make: (moment: Moment) => Promise<readonly Statement[]>;
  readonly known?: KnownMoment | undefined;
}

/**
 * What a person does and the event that tells of it, as one batch. The event follows the newest one, as this process
 * knows it or as it was read right before; where another process was first, both are made anew. The kill switch is first
 * of all that wait.
 */
export const writeText = (
  context: Context,
  by: By,
  make: Deed["make"],
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): Promise<ResultSet[]> => context.client.turn((calls) => writeDeed(context, { by, make }, calls), isFirst);

/** The same, in the turn of whoever asks. */
export async function writeDeed(
  context: Context,
  { by, make, known }: Deed,
  calls: Turned,
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
    const found = await calls.execute(statement(sql`select ${now()}, ${newestOf(OF_PEOPLE)}`));
    const [at, head] = [Number(found.rows[0]?.[0]), headFrom(found.rows[0]?.[1])];
    return writeAfter(context, by, make, { now: known?.at ?? at, calls, guards: [], head });
  });
}

/** Statements that end their batch where the newest event of people, or the database, is another than is known. */
export const unlessNewest = ({ seq, hash }: ChainHead, { holds }: KnownMoment): Statement[] =>
  unless(sql`${newestOf(OF_PEOPLE)} is ${JSON.stringify([seq, hash])} and ${holds}`);

type AfterHead = Pick<Moment, "now" | "calls"> & {
  readonly guards: readonly Statement[];
  readonly head: ChainHead;
};

async function writeAfter(
  { newest }: Context,
  by: By,
  make: Deed["make"],
  { now, calls, guards, head }: AfterHead,
): Promise<ResultSet[]> {
  let [last, event]: [ChainHead, Statement | undefined] = [head, undefined];
  const tell = async (eventView: EventView, where = sql`1`) => {
    const linked = await linkAfter(head, { ...eventView, at: now, ...by }, where);
    last = linked.head;
    event = linked.event;
    return event;
  };
  const statements = [...guards, ...(await make({ now, calls, isGuarded: guards.length > 0, tell }))];
  // Unless it is known to be written, nobody knows what the newest one is.
  newest.ofPeople = undefined;
  const results = await calls.batch(statements, "write");
  const isReported = event !== undefined && (results[statements.indexOf(event)]?.rowsAffected ?? 0) > 0;
  newest.ofPeople = isReported ? last : head;
  return results.slice(guards.length);
}

/** The statement of an event of people that follows another one, and what follows it then. */
export async function linkAfter(
  head: ChainHead,
  result: Event & By,
  where: SQL,
): Promise<{ readonly head: ChainHead; readonly event: Statement }> {
  const [linked] = await linkEvents(head, OF_PEOPLE, [result]);
  const { seq, hash } = linked as Linked;
  return { head: { seq, hash }, event: insertLinked(linked as Linked, where) };
}

/** Of a pass: the newest event of its account's chain, as far as it knows, and what its requests have cost. */
export interface PassChain {
  readonly account: string;
  readonly head: ChainHead | undefined;
  readonly use: DatabaseUse | undefined;
}

/** What a pass writes, together with its events; answers the chain's new head as well. */
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
        withStep(news),
      );
      // What was known was not the newest: a write that seemed to fail was kept.
      known = undefined;
      last = linked.at(-1);
      return calls.batch(make(linked.map((one) => insertLinked(one))), "write", use);
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

/** The newest event of a chain as JSON text. */
const newestOf = (chain: SQL | string): SQL =>
  sql`(select json_array(seq, hash) from ${events} where ${events.chain} = ${chain} order by ${events.seq} desc limit 1)`;

/** Of a row of the table itself. */
export const headOfRow = (row: typeof events.$inferSelect | undefined): ChainHead =>
  row && row.seq !== null && row.hash !== null ? { seq: row.seq, hash: row.hash } : NO_HEAD;

function headFrom(found: unknown): ChainHead {
  if (typeof found !== "string") return NO_HEAD;
  const [seq, hash] = JSON.parse(found) as [number, string];
  return { seq, hash };
}

const readChainHead = async (
  calls: Turned,
  chain: string,
  use: DatabaseUse | undefined,
): Promise<ChainHead> =>
  headFrom((await calls.execute(statement(sql`select ${newestOf(chain)}`), use)).rows[0]?.[0]);

const withStep = (news: readonly Event[]): (Event & By)[] => news.map((one) => ({ ...one, ...BY_STEP }));

type Linked = Event & By & ChainHead & { readonly chain: string };

/** The events with their place in the chain, each after the one before it. */
async function linkEvents(head: ChainHead, chain: string, items: readonly (Event & By)[]): Promise<Linked[]> {
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
