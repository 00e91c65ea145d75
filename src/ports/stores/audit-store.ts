import type { Millis } from "../../kernel/time.ts";
import type { By, EventTold, KeptEvent } from "../../model/events.ts";

/** An event with its place; all three are null of those from before there were chains. */
export type ChainedEvent = KeptEvent & {
  readonly id: number;
  readonly chain: string | null;
  readonly seq: number | null;
  readonly hash: string | null;
};

/** How far a chain has come, and with which event. */
export interface ChainPlace {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
}

/** What a checkpoint says of a chain: that it reaches to `seq` with this hash, and is kept from `from` on. */
export interface ChainMark {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly from: number;
  /** The hash before `from`; empty where nothing was ever cut. */
  readonly before: string;
}

export interface Checkpoint {
  readonly number: number;
  readonly at: Millis;
  readonly marks: readonly ChainMark[];
  /** Which of the operator's keys has signed it. */
  readonly key: string;
  readonly signature: string;
}

/** Signs with a key that the operator has and the database has not. */
export interface Signer {
  readonly key: string;
  sign(text: string): Promise<string>;
}

export interface AuditStore {
  /** Tells of what is written nowhere else. */
  note(told: EventTold, by: By): Promise<void>;
  /** The same of what is about to be done and waits for no database: ends when it is written, fails, or takes too long. */
  noteAhead(told: EventTold, by: By): Promise<void>;
  /** In the order in which they were written. */
  eventsAfter(id: number, limit: number): Promise<readonly ChainedEvent[]>;
  /** The newest of a chain before a place; undefined where there is none. */
  placeBefore(chain: string, seq: number): Promise<ChainPlace | undefined>;
  /**
   * Whether anything has happened: the newest event's id, and the protocol time of the newest complete pass of any
   * account; 0 where there is none.
   */
  pulse(): Promise<{ readonly event: number; readonly steppedAt: Millis }>;
  /** How many events there have ever been, by the database's own count. */
  eventCount(): Promise<number>;
  /** Oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Signs where each chain stands, and cuts off what is older than `keep`; answers the checkpoint and how many were cut. */
  checkpoint(
    signer: Signer,
    keep: Millis | undefined,
    by: By,
  ): Promise<{ readonly checkpoint: Checkpoint; readonly cut: number }>;
}
