import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { type ChainMark, type Checkpoint, checkpointText, EVERY_ACCOUNT } from "../../model/events.ts";
import type { AuditStore } from "../../ports/stores/store.ts";
import { withinTime } from "../../ports/within-time.ts";
import type { TurnCalls } from "../../storage/client/call-queue.ts";
import { type Context, rowsOf, type Statement, statement } from "../../storage/client/context.ts";
import { PEOPLE_CHAIN, writeText } from "../../storage/client/event-chain.ts";
import { accounts, checkpoints, events } from "../../storage/tables/trading-tables.ts";

export function auditStore(context: Context): AuditStore {
  const { client, db, prepare } = context;
  // Reads the last row of one index, and one row per account. A pass whose time is ahead would hide all others.
  const pulse = prepare(
    (now) =>
      sql`select (select max(${events.id}) from ${events}), (select max(${accounts.steppedAt}) from ${accounts} where ${accounts.steppedAt} <= ${now})`,
  );
  const note: AuditStore["note"] = async (eventView, by) => {
    await writeText(context, by, async ({ tell }) => [await tell(eventView)]);
  };
  return {
    note,
    noteAhead: (eventView, by) => endedSoon(note(eventView, by)),

    async eventsAfter(id, limit) {
      return db.select().from(events).where(gt(events.id, id)).orderBy(asc(events.id)).limit(limit);
    },

    async placeBefore(chain, seq) {
      const earlier = and(eq(events.chain, chain), lt(events.seq, seq));
      const newest = db.select().from(events).where(earlier).orderBy(desc(events.seq)).limit(1);
      const [found] = await newest;
      return found && { id: found.id, seq: found.seq ?? 0, hash: found.hash ?? "" };
    },

    async pulse() {
      const { rows } = await client.execute(pulse({}));
      // An empty table has no newest event: null, which counts as none.
      return { event: Number(rows[0]?.[0]), steppedAt: Number(rows[0]?.[1]) };
    },

    async eventCount() {
      const counted = await client.execute("select seq from sqlite_sequence where name = 'events'");
      return Number(counted.rows[0]?.[0] ?? 0);
    },

    async checkpoints() {
      return db.select().from(checkpoints).orderBy(asc(checkpoints.number));
    },

    async checkpoint(signer, keep, by) {
      let checkpoint: Checkpoint | undefined;
      const results = await writeText(context, by, async ({ calls, now, tell }) => {
        const newest = await newestCheckpoint(context, calls);
        const marks = await marksOf(calls, newest, keep === undefined ? undefined : now - keep);
        const unsigned = { number: (newest?.number ?? 0) + 1, at: now, marks };
        const signature = await signer.sign(checkpointText(newest?.signature ?? "", unsigned));
        checkpoint = { ...unsigned, key: signer.key, signature };
        const message = `checkpoint ${unsigned.number} signed`;
        return [
          await tell({ account: EVERY_ACCOUNT, strategy: null, kind: "audit", message }),
          statement(db.insert(checkpoints).values(checkpoint)),
          ...marks.map(cutBefore),
        ];
      });
      const cut = results.slice(2).reduce((sum, { rowsAffected }) => sum + rowsAffected, 0);
      return { checkpoint: checkpoint as Checkpoint, cut };
    },
  };
}

/** Maximum time that a cancel or stop waits for its event to be written. */
const MAX_EVENT_WRITE_WAIT_MS: Millis = SECOND;

/** Waits for a write, but only for a limited time; the write continues, and a later failure is ignored. */
const endedSoon = (writing: Promise<void>): Promise<void> =>
  withinTime(
    writing,
    MAX_EVENT_WRITE_WAIT_MS,
    () => new StoreError("unavailable", `it is not written after ${MAX_EVENT_WRITE_WAIT_MS} ms`),
  );

async function newestCheckpoint({ db }: Context, calls: TurnCalls): Promise<Checkpoint | undefined> {
  const newest = db.select().from(checkpoints).orderBy(desc(checkpoints.number)).limit(1);
  return rowsOf(checkpoints, await calls.execute(statement(newest)))[0];
}

/** Returns the position of each chain, and its first stored event; the newest event always stays. */
async function marksOf(
  calls: TurnCalls,
  newest: Checkpoint | undefined,
  since: Millis | undefined,
): Promise<ChainMark[]> {
  const known = await calls.execute(statement(sql`select ${accounts.account} from ${accounts} order by 1`));
  const marks: ChainMark[] = [];
  for (const chain of [PEOPLE_CHAIN, ...known.rows.map((row) => String(row[0]))]) {
    const head = await calls.execute(
      statement(sql`select seq, hash from ${events} where chain = ${chain} order by seq desc limit 1`),
    );
    const [seq, hash] = [Number(head.rows[0]?.[0]), String(head.rows[0]?.[1])];
    if (head.rows.length === 0) continue;
    const old = newest?.marks.find((mark) => mark.chain === chain);
    const cut = since === undefined ? undefined : await firstSince(calls, chain, since);
    marks.push({ chain, seq, hash, from: old?.from ?? 1, before: old?.before ?? "", ...cut });
  }
  return marks;
}

/** Returns a chain's first event to keep, and the hash before it; undefined if none is older. */
async function firstSince(calls: TurnCalls, chain: string, since: Millis) {
  const last = sql`(select max(seq) from ${events} where chain = ${chain})`;
  const older = sql`select seq + 1, hash from ${events} where chain = ${chain} and seq < coalesce((select min(seq) from ${events} where chain = ${chain} and at >= ${since}), ${last}) order by seq desc limit 1`;
  const [row] = (await calls.execute(statement(older))).rows;
  return row && { from: Number(row[0]), before: String(row[1]) };
}

const cutBefore = ({ chain, from }: ChainMark): Statement =>
  statement(sql`delete from ${events} where chain = ${chain} and seq < ${from}`);
