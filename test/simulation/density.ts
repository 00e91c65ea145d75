import type { CallKind, Fault } from "./faults.ts";
import type { Tables } from "./store/tables.ts";

/** How much goes wrong in a run: what nothing befalls shows little. */
export interface Density {
  /** Passes that took the account, until nothing was left to happen. */
  readonly begun: number;
  /** Of them, those with a fault of their own, over orders in doubt, or from reads that are old. */
  readonly troubled: number;
  readonly faults: number;
  /** Of them, those that are no stale read. */
  readonly harder: number;
  /** Of these, those of a create or a cancel. */
  readonly onWrites: number;
}

export const NO_DENSITY: Density = { begun: 0, troubled: 0, faults: 0, harder: 0, onWrites: 0 };

export const addedDensity = (a: Density, b: Density): Density => ({
  begun: a.begun + b.begun,
  troubled: a.troubled + b.troubled,
  faults: a.faults + b.faults,
  harder: a.harder + b.harder,
  onWrites: a.onWrites + b.onWrites,
});

export function createDensity() {
  const sum = { ...NO_DENSITY };
  return {
    sum: (): Density => ({ ...sum }),
    /** A call of this kind meets this fault. */
    add(kind: CallKind, fault: Fault): void {
      const isHard = fault !== "stale";
      const isWrite = kind === "create" || kind === "cancel";
      sum.faults++;
      if (isHard) sum.harder++;
      if (isHard && isWrite) sum.onWrites++;
    },
    /** A pass may begin: what befalls it is told, and whether it took the account at all, unless it dies before. */
    begin(isInDoubt: boolean) {
      let isTroubled = isInDoubt;
      const ended = () => {
        sum.begun++;
        if (isTroubled) sum.troubled++;
      };
      return {
        ended,
        befallen(fault: Fault): void {
          isTroubled = true;
          if (fault.startsWith("crash")) ended();
        },
      };
    },
  };
}

export type DensityTally = ReturnType<typeof createDensity>;

/** Whether there is an order of which nobody knows yet what has become, or whose trades do not add up. */
export function isInDoubt({ unsettled, orders }: Tables): boolean {
  for (const id of unsettled) {
    const order = orders.get(id);
    if (!order) continue;
    const { state, booked, filled, missedAt } = order;
    if (state === "pending" || state === "unknown" || booked !== filled || missedAt !== null) return true;
  }
  return false;
}

export const shownDensity = ({ begun, troubled, faults, harder, onWrites }: Density): string => {
  const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  return `${share(troubled, begun)} of ${begun} passes with a fault or something unconfirmed, ${share(onWrites, harder)} of ${harder} faults (without ${faults - harder} stale reads) on creates and cancels`;
};
