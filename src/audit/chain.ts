/** Events as links of a chain: changed, left out, put in or moved, one breaks it. */
import type { KeptEvent } from "../model/events.ts";
import type { Checkpoint } from "../ports/stores/audit-store.ts";

/** A chain is the account's whose passes write it, or "" for what people do; places count from 1. */
export type ChainedPlace = KeptEvent & { readonly chain: string; readonly seq: number };

/** What the SHA-256 of an event is of; `before` is the hash of the one before it, and empty for the first. */
export const eventText = (
  before: string,
  { chain, seq, account, strategy, at, kind, message, actor, request }: ChainedPlace,
): string => JSON.stringify([before, chain, seq, account, strategy, at, kind, message, actor, request]);

/** What the signature of a checkpoint is of; `before` is the signature of the one before it, and empty for the first. */
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
