import type { Millis } from "../../kernel/time.ts";
import type { KeptEvent } from "../../model/events.ts";
import type { Fill, MeasuredFill, SpreadFill } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";

/** A position in a history, newest first; `id` orders entries of the same millisecond. */
export interface HistoryPlace {
  readonly at: Millis;
  readonly id?: string | undefined;
}

export interface Page {
  readonly limit: number;
  /** Returns only entries older than this. */
  readonly before?: HistoryPlace | undefined;
}

/** An archive file next to the database. */
export interface ArchiveFile {
  /** UTC year in which its rows ended. */
  readonly year: number;
  /** Its name, without a folder. */
  readonly file: string;
  /** Newest possible time of its rows. */
  readonly before: Millis;
}

/** History of a strategy, newest first. */
export interface HistoryStore {
  /** Ordered by market time of creation, then client id. */
  ordersOf(strategy: string, page: Page): Promise<readonly Order[]>;
  /** Ordered by market time, then trade id. */
  fillsOf(strategy: string, page: Page): Promise<readonly Fill[]>;
  /** The same with the mids that measure them. */
  measuredFillsOf(strategy: string, page: Page): Promise<readonly MeasuredFill[]>;
  /** The same with the mid at the fill only, in half of the time. */
  spreadFillsOf(strategy: string, page: Page): Promise<readonly SpreadFill[]>;
  /** Ordered by protocol time, then number. */
  eventsOf(strategy: string, page: Page): Promise<readonly (KeptEvent & { readonly id: number })[]>;
  /** Returns the actor who started it; undefined if that event is no longer stored. */
  starterOf(strategy: string): Promise<string | undefined>;
  /** Oldest first. */
  archives(): Promise<readonly ArchiveFile[]>;
}
