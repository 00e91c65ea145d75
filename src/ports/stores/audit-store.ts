import type { Millis } from "../../kernel/time.ts";
import type { Checkpoint } from "../../model/chain.ts";
import type { By, EventView, KeptEvent } from "../../model/events.ts";

/** An event with its position in its chain. All three fields are null for events older than the chains. */
export type ChainedEvent = KeptEvent & {
  readonly id: number;
  readonly chain: string | null;
  readonly seq: number | null;
  readonly hash: string | null;
};

/** The last sequence number and hash of a chain. */
export interface ChainPlace {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
}

/** Signs checkpoints with an operator key that is not in the database. */
export interface Signer {
  readonly key: string;
  sign(text: string): Promise<string>;
}

export interface AuditStore {
  /** Writes an event that belongs to no other row. */
  note(eventView: EventView, by: By): Promise<void>;
  /**
   * Writes an event before its action, without waiting for a locked database. Resolves when it is written, fails or
   * times out.
   */
  noteAhead(eventView: EventView, by: By): Promise<void>;
  /** Returns events in the order of writing. */
  eventsAfter(id: number, limit: number): Promise<readonly ChainedEvent[]>;
  /** Returns the newest event of a chain before a position; undefined without one. */
  placeBefore(chain: string, seq: number): Promise<ChainPlace | undefined>;
  /** Returns the newest event's id, and the protocol time of any account's newest complete pass; 0 if there is none. */
  pulse(): Promise<{ readonly event: number; readonly steppedAt: Millis }>;
  /** Returns the number of events ever written, as the database counts them. */
  eventCount(): Promise<number>;
  /** Oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /**
   * Signs the position of each chain, and deletes events older than `keep`. Returns the checkpoint and the number of
   * deleted events.
   */
  checkpoint(
    signer: Signer,
    keep: Millis | undefined,
    by: By,
  ): Promise<{ readonly checkpoint: Checkpoint; readonly cut: number }>;
}
