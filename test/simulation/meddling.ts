import type { Deed } from "./deeds.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";

interface People {
  readonly random: Random;
  readonly isQuiet: () => boolean;
  /** The switch is turned more often, and what is sent meanwhile is answered at once. */
  readonly isOften: boolean;
  readonly ask: (deed: Deed) => void;
  /** The same after a while. */
  readonly later: (deed: Deed) => void;
}

/**
 * People who ask for something in the very middle of a pass: between what it has read and what it records, and
 * between what it has recorded and what it sends.
 */
export const meddling =
  ({ random, isQuiet, isOften, ask, later }: People): Faults =>
  ({ kind, name }) => {
    if (isQuiet()) return undefined;
    if (name === "ticker" && random.chance(0.01)) {
      const nth = random.whole(0, 2);
      const wish = random.pick(["pause", "run", "run", "run", "stop"] as const);
      ask(wish === "stop" ? { kind: wish, nth, keep: false } : { kind: wish, nth });
    }
    if (kind !== "create" || !random.chance(isOften ? 0.1 : 0.02)) return undefined;
    ask({ kind: "kill", on: true });
    later({ kind: "kill", on: false });
    return isOften ? undefined : "slow";
  };
