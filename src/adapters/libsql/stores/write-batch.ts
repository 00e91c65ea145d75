import type { ResultSet } from "@libsql/client";
import { type SQL, sql } from "drizzle-orm";
import type { Turned } from "../client/calls.ts";
import type { ChainHead, Context, Statement } from "../client/context.ts";
import { unless } from "../client/fence.ts";
import { isBusy, isRefusedWhole, storeError } from "../client/store-error.ts";
import {
  type Deed,
  type KnownMoment,
  linkAfter,
  type Moment,
  unlessNewest,
  writeDeed,
} from "./event-chain.ts";

/** Maximum number in one batch. */
const MOST_TOGETHER = 50;

/** An action that can be written together with others. */
export interface SharedDeed extends Deed {
  readonly known: KnownMoment;
  /** Condition that is true after the write; with others, it is written only where it is. */
  readonly isDone: SQL;
}

interface WaitingDeed extends SharedDeed {
  readonly done: (results: ResultSet[]) => void;
  readonly fail: (error: unknown) => void;
  /** Whether it must be written alone, because a batch with others failed. */
  isAlone: boolean;
}

/**
 * Writes actions that wait for the database at the same time as one batch, which waits for the disk once. Each has
 * the same effect as alone: if one of them cannot be written, none is, and each is retried separately.
 */
export function batchTogether(context: Context): (deed: SharedDeed) => Promise<ResultSet[]> {
  let waiting: readonly WaitingDeed[] = [];
  const leave = (gone: readonly WaitingDeed[]) => {
    waiting = waiting.filter((waitingDeed) => !gone.includes(waitingDeed));
  };

  async function inTurn(waitingDeed: WaitingDeed, calls: Turned): Promise<ResultSet[]> {
    // An earlier caller has written it.
    if (!waiting.includes(waitingDeed)) return [];
    const last = context.newest.ofPeople;
    // The others use the head that the first one returned.
    const others =
      waitingDeed.isAlone || !last ? [] : waiting.filter((other) => other !== waitingDeed && !other.isAlone);
    const written = await tryTogether([waitingDeed, ...others.slice(0, MOST_TOGETHER - 1)], calls);
    return written ?? writeAlone(waitingDeed, calls);
  }

  async function writeAlone(waitingDeed: WaitingDeed, calls: Turned): Promise<ResultSet[]> {
    const results = await writeDeed(context, waitingDeed, calls).catch((error: unknown) => {
      if (!isBusy(error)) leave([waitingDeed]);
      throw error;
    });
    leave([waitingDeed]);
    return results;
  }

  async function tryTogether(deeds: readonly WaitingDeed[], calls: Turned): Promise<ResultSet[] | undefined> {
    if (deeds.length === 1) return undefined;
    const written = await writeTogether(context, deeds, calls).catch((error: unknown) => {
      // A busy database had no effect, and the write is retried. After any other error it is unknown whether they were
      // written.
      if (isBusy(error)) throw error;
      leave(deeds);
      for (const { fail } of deeds) fail(storeError(error));
      throw error;
    });
    if (!written) for (const waitingDeed of deeds) waitingDeed.isAlone = true;
    else leave(deeds);
    for (const [index, results] of written?.entries() ?? []) deeds[index]?.done(results);
    return written?.flat();
  }

  return (deed) =>
    new Promise((resolve, reject) => {
      const waitingDeed: WaitingDeed = { ...deed, done: resolve, fail: reject, isAlone: false };
      waiting = [...waiting, waitingDeed];
      // Requests that arrived while the process waited for the disk are included.
      const heard = context.heard?.() ?? Promise.resolve();
      heard
        .then(() => context.client.turn((calls) => inTurn(waitingDeed, calls)))
        .then(resolve, reject)
        .finally(() => leave([waitingDeed]));
    });
}

/** Returns undefined if the whole batch was refused because of one action or an outdated state. */
async function writeTogether(
  context: Context,
  deeds: readonly SharedDeed[],
  calls: Turned,
): Promise<ResultSet[][] | undefined> {
  const { newest } = context;
  const [{ known }] = deeds as [SharedDeed];
  let head = newest.ofPeople as ChainHead;
  const statements: Statement[] = unlessNewest(head, known);
  const places: (readonly [from: number, to: number])[] = [];
  for (const { by, make, known: own, isDone } of deeds) {
    const tell: Moment["tell"] = async (eventView, where = sql`1`) => {
      const linked = await linkAfter(head, { ...eventView, at: own.at, ...by }, where);
      head = linked.head;
      return linked.event;
    };
    const made = await make({ now: own.at, calls, isGuarded: true, tell });
    places.push([statements.length, statements.length + made.length]);
    // An event that is not written would leave a gap in the chain.
    statements.push(...made, ...unless(isDone));
  }
  newest.ofPeople = undefined;
  const results = await calls.batch(statements, "write").catch((error: unknown) => {
    if (isRefusedWhole(error)) return undefined;
    throw error;
  });
  if (results) newest.ofPeople = head;
  return results && places.map(([from, to]) => results.slice(from, to));
}
