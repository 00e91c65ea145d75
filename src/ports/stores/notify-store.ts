import type { Millis } from "../../kernel/time.ts";
import type { Channel, ChannelSecrets, Digest, Message, NewsCursor } from "../../model/channel.ts";
import type { By } from "../../model/events.ts";
import type { TellableEvent, TellableFill } from "../../model/news.ts";

/** A channel as read before a process claims it. */
export type ChannelOutlook = Channel & {
  /** End of the current claim. */
  readonly claimedUntil: Millis;
  /** Whether it has a message to send. */
  readonly isPending: boolean;
};

export interface Outlook {
  readonly now: Millis;
  readonly newest: NewsCursor;
  readonly channels: readonly ChannelOutlook[];
}

/** One process's claim on a channel. Its writes take effect only while the claim lasts. */
export interface Claim {
  readonly channel: Channel;
  readonly owner: string;
  readonly now: Millis;
  readonly secrets: ChannelSecrets;
  /** The oldest message to send. */
  readonly pending: { readonly message: Message; readonly tries: number } | undefined;
  /** Events and fills after the channel's cursor, oldest first, at most `page` of each. */
  readonly events: readonly TellableEvent[];
  readonly fills: readonly TellableFill[];
}

export interface ChannelReport {
  readonly channel: Channel;
  readonly createdAt: Millis;
  readonly pending: number;
  readonly dead: number;
}

/** Result of an attempt to send. */
export type Sent =
  | { readonly result: "sent" }
  | { readonly result: "later" | "dead"; readonly error: string; readonly retryAt: Millis };

export type NewChannel = Pick<Channel, "name" | "kind" | "level" | "quiet" | "isDaily">;

export interface NotifyStore {
  /** Adds a channel, which gets events from now on. Returns false if the name exists. */
  addChannel(channel: NewChannel, secrets: ChannelSecrets, by: By): Promise<boolean>;
  /** Deletes a channel with its messages. Returns false if it does not exist. */
  removeChannel(name: string, by: By): Promise<boolean>;
  channels(): Promise<readonly ChannelReport[]>;
  /** Returns events and fills after a cursor, oldest first, at most `page` of each; without a cursor, the current position. */
  newsAfter(
    cursor: NewsCursor | undefined,
    page: number,
  ): Promise<Pick<Claim, "events" | "fills"> & { readonly cursor: NewsCursor }>;
  /** Reads all channels in one request; the cost depends on their number. */
  outlook(): Promise<Outlook>;
  /** Claims the channel for a limited time, unless another process has it. */
  claim(request: {
    readonly name: string;
    readonly owner: string;
    readonly ttl: Millis;
    readonly page: number;
  }): Promise<Claim | undefined>;
  /** Stores what the claim read and the message built from it, in one write. Returns false if the claim has expired. */
  keep(
    claim: Pick<Claim, "channel" | "owner">,
    kept: {
      readonly cursor: NewsCursor;
      readonly digest: Digest;
      readonly message?: Message | undefined;
      readonly reportedDay?: number | undefined;
      /** Releases the claim without a message. */
      readonly isDone: boolean;
    },
  ): Promise<boolean>;
  /** Stores the result of a message and releases the channel. */
  settle(claim: Pick<Claim, "channel" | "owner">, id: string, sent: Sent): Promise<void>;
  /** Queues a message; returns false if the channel does not exist. */
  enqueue(name: string, message: Omit<Message, "at">): Promise<boolean>;
  /** Queues failed messages again and returns their number. */
  replay(name: string): Promise<number>;
}
