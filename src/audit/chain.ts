/** Links events in a hash chain: changing, removing, inserting or moving one breaks it. */
import type { KeptEvent } from "../model/events.ts";
import type { Checkpoint } from "../ports/stores/audit-store.ts";

/** An event's chain and position: the account whose passes write it, or "" for people's actions; positions count from 1. */
export type ChainedPlace = KeptEvent & { readonly chain: string; readonly seq: number };

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
