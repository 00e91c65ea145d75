import type { Millis } from "../../kernel/time.ts";
import type { Channel, ChannelSecrets, Digest, Message, NewsCursor } from "../../model/channel.ts";
import type { By } from "../../model/events.ts";
import type { TellableEvent, TellableFill } from "../../model/news.ts";

/** A channel as it is looked at before anybody takes it. */
export type ChannelOutlook = Channel & {
  /** Until then a process works on it. */
  readonly claimedUntil: Millis;
  /** A message of it waits to be sent. */
  readonly isPending: boolean;
};

export interface Outlook {
  readonly now: Millis;
  readonly newest: NewsCursor;
  readonly channels: readonly ChannelOutlook[];
}

/** One process's hold on a channel: what it writes counts only while it has it. */
export interface Claim {
  readonly channel: Channel;
  readonly owner: string;
  readonly now: Millis;
  readonly secrets: ChannelSecrets;
  /** What waits to be sent, the oldest. */
  readonly pending: { readonly message: Message; readonly tries: number } | undefined;
  /** What is newer than the channel's cursor, oldest first, at most `page` of each. */
  readonly events: readonly TellableEvent[];
  readonly fills: readonly TellableFill[];
}

export interface ChannelReport {
  readonly channel: Channel;
  readonly createdAt: Millis;
  readonly pending: number;
  readonly dead: number;
}

/** How a try to send ended. */
export type Sent =
  | { readonly result: "sent" }
  | { readonly result: "later" | "dead"; readonly error: string; readonly retryAt: Millis };

export type NewChannel = Pick<Channel, "name" | "kind" | "level" | "quiet" | "isDaily">;

export interface NotifyStore {
  /** It is told what happens from now on. False where the name is taken. */
  addChannel(channel: NewChannel, secrets: ChannelSecrets, by: By): Promise<boolean>;
  /** With its messages. False where there is none. */
  removeChannel(name: string, by: By): Promise<boolean>;
  channels(): Promise<readonly ChannelReport[]>;
  /** What is newer than a cursor, oldest first, at most `page` of each; without one, where it stands now. */
  newsAfter(
    cursor: NewsCursor | undefined,
    page: number,
  ): Promise<Pick<Claim, "events" | "fills"> & { readonly cursor: NewsCursor }>;
  /** One question, whose cost is the number of channels. */
  outlook(): Promise<Outlook>;
  /** Takes the channel for a while, if no other process has it. */
  claim(asked: {
    readonly name: string;
    readonly owner: string;
    readonly ttl: Millis;
    readonly page: number;
  }): Promise<Claim | undefined>;
  /** What was taken in, and the message that is made of it, in one write; false where the claim has run out. */
  keep(
    claim: Pick<Claim, "channel" | "owner">,
    kept: {
      readonly cursor: NewsCursor;
      readonly held: Digest;
      readonly message?: Message | undefined;
      readonly reportedDay?: number | undefined;
      /** There is nothing to send now: others may have it. */
      readonly isDone: boolean;
    },
  ): Promise<boolean>;
  /** What became of a message; gives the channel back. */
  settle(claim: Pick<Claim, "channel" | "owner">, id: string, sent: Sent): Promise<void>;
  /** Leaves a message to be sent; false where there is no such channel. */
  enqueue(name: string, message: Omit<Message, "at">): Promise<boolean>;
  /** Lets given-up messages be tried again; answers how many there are. */
  replay(name: string): Promise<number>;
}
