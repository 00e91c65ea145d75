/** Calls of the venue port as text, between a test and an adapter that runs inside workerd. */
import { VenueError, type VenueFailure } from "../../src/kernel/errors.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Permit, Venue } from "../../src/ports/venue.ts";
import type { Connection } from "./adapter.ts";

export interface Call {
  readonly connection: Connection;
  readonly now: Millis;
  readonly method: Method;
  readonly args: readonly unknown[];
}

const METHODS = [
  "market",
  "ticker",
  "book",
  "trades",
  "candles",
  "balances",
  "openOrders",
  "order",
  "fills",
  "fillsOf",
  "endedOrders",
  "create",
  "cancel",
] as const;
export type Method = (typeof METHODS)[number];

export const toText = (value: unknown): string =>
  JSON.stringify(value, (_name, one) => (typeof one === "bigint" ? { $decimal: String(one) } : one)) ??
  "null";

export const fromText = (text: string): unknown =>
  JSON.parse(text, (_name, one) =>
    typeof one === "object" && one !== null && "$decimal" in one ? BigInt(one.$decimal) : one,
  );

/** What the adapter answers to a call, its failures too. */
export async function answerCall(venue: Venue, { method, args }: Call): Promise<string> {
  try {
    const given =
      method === "create" || method === "cancel" ? [args[0], permitOf(args[1])] : args.map(undefinedOfNull);
    const answer = await (venue[method] as (...all: unknown[]) => Promise<unknown>)(...given);
    return toText({ answer });
  } catch (error) {
    const failure = error instanceof VenueError ? error.failure : undefined;
    return toText({ failure, message: error instanceof Error ? error.message : String(error) });
  }
}

// In text, an argument that was left out is null.
const undefinedOfNull = (one: unknown): unknown => one ?? undefined;

const permitOf = (permit: unknown): Permit => ({ ...(permit as Permit), mayLeave: () => true });

/** The venue port, its calls going through `send`. */
export function remoteVenue(
  connection: Connection,
  clock: () => Millis,
  send: (call: string) => Promise<string>,
): Venue {
  const call =
    (method: Method) =>
    async (...args: readonly unknown[]) => {
      const answered = fromText(
        await send(toText({ connection, now: clock(), method, args: args.map(plain) })),
      ) as { answer?: unknown; failure?: VenueFailure; message?: string };
      if (answered.failure) throw new VenueError(answered.failure, answered.message ?? "");
      if (answered.message !== undefined) throw new Error(answered.message);
      return answered.answer;
    };
  return Object.fromEntries(METHODS.map((method) => [method, call(method)])) as unknown as Venue;
}

const plain = (argument: unknown): unknown =>
  typeof argument === "object" && argument !== null && "mayLeave" in argument
    ? { sendBy: (argument as Permit).sendBy }
    : argument;
