/** Answers of an exchange that are wrong rather than old. */
import { VenueError } from "../../src/kernel/errors.ts";
import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";
import type { CreateOutcome, VenueOrder } from "../../src/ports/venue.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";

interface Around {
  readonly random: Random;
  readonly seed: number;
  readonly plan: Pick<Plan, "quietAt" | "timing">;
  readonly now: () => number;
}

/** An order that leaves the list stays away for so long, and is shown to no look for the first part of it. */
const AWAY = 60_000;
const HIDDEN = 15_000;

/** As text, each of its reads can be an error though the exchange says that all went well. */
const ERROR_TEXT = 0.01;

export function wrongAnswers({ random, seed, plan: { quietAt, timing }, now }: Around) {
  const listed = random.pick([0, 0.05, 0.3]);
  const leaving = random.pick([0, 0.3, 0.6]);
  const isQuiet = () => now() >= quietAt;
  const isAway = (id: string): boolean =>
    !isQuiet() && pseudorandomShare(hashText(`${id} ${Math.floor(now() / AWAY)}`), seed) < leaving;
  const hiddenSince = new Map<string, number>();
  const pairs = new Map<string, Map<string, number>>();

  return {
    /** A success whose body is the text of an error. */
    read(): void {
      if (!isQuiet() && random.chance(ERROR_TEXT))
        throw new VenueError("unavailable", "the exchange answered 200 with an error");
    },
    /** An empty or a cut list, or one without an order. */
    list(orders: readonly VenueOrder[]): readonly VenueOrder[] {
      const there = orders.filter(({ id }) => !isAway(id));
      if (isQuiet() || !random.chance(listed)) return there;
      const without = random.whole(0, Math.max(0, there.length - 1));
      return random.pick([
        [],
        there.slice(0, Math.floor(there.length / 2)),
        there.filter((_, place) => place !== without),
      ]);
    },
    /** What looks find of it: none misses it so long after another one that both together would prove its end. */
    order<T extends Pick<VenueOrder, "id">>(found: T | undefined): T | undefined {
      if (!found || timing.secondMiss <= HIDDEN || now() % AWAY >= HIDDEN || !isAway(found.id)) return found;
      const since = hiddenSince.get(found.id) ?? now();
      hiddenSince.set(found.id, since);
      return now() - since < HIDDEN ? undefined : found;
    },
    /** Its ids are counted for each pair by itself. */
    id({ id, symbol }: { readonly id: string; readonly symbol: string }): string {
      const ofPair = pairs.get(symbol) ?? new Map<string, number>();
      pairs.set(symbol, ofPair);
      const number = ofPair.get(id) ?? ofPair.size + 1;
      ofPair.set(id, number);
      return String(number);
    },
    /** The order was placed, or was not: the text does not say. */
    async create(send: () => Promise<CreateOutcome>): Promise<CreateOutcome> {
      if (isQuiet() || !random.chance(0.05)) return send();
      if (random.chance(0.5)) await send();
      return { result: "unknown", reason: "the exchange answered 200 with an error" };
    },
  };
}

export type WrongAnswers = ReturnType<typeof wrongAnswers>;
