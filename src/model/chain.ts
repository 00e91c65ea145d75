/** Links events in a hash chain: changing, removing, inserting or moving one breaks it. */
import type { Millis } from "../kernel/time.ts";
import type { StoredEvent } from "./events.ts";

/** An event's chain and position: the account whose passes write it, or "" for people's actions; positions count from 1. */
type ChainedPlace = StoredEvent & { readonly chain: string; readonly seq: number };

/** A checkpoint's entry for one chain: it ends at `seq` with this hash, and its stored events begin at `from`. */
export interface ChainMark {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly from: number;
  /** Hash of the event before `from`; empty if no events were deleted. */
  readonly before: string;
}

export interface Checkpoint {
  readonly number: number;
  readonly at: Millis;
  readonly marks: readonly ChainMark[];
  /** Id of the operator's key that signed it. */
  readonly key: string;
  readonly signature: string;
}

/** Returns the text of an event's SHA-256; `before` is the hash of the previous event, empty for the first. */
export const eventText = (
  before: string,
  { chain, seq, account, strategy, at, kind, message, actor, request }: ChainedPlace,
): string => JSON.stringify([before, chain, seq, account, strategy, at, kind, message, actor, request]);

/** Returns the text that a checkpoint signs; `before` is the signature of the previous checkpoint, empty for the first. */
export const checkpointText = (
  before: string,
  { number, at, marks }: Pick<Checkpoint, "number" | "at" | "marks">,
) =>
  JSON.stringify([
    before,
    number,
    at,
    marks.map(({ chain, seq, hash, from, before: cut }) => [chain, seq, hash, from, cut]),
  ]);
