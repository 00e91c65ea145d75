import { AppError } from "../kernel/errors.ts";
import type { Store } from "./stores/store.ts";

/** A kill switch of one process, independent of the database: its settings, or a file next to the database. */
export interface KillHere {
  /** Reason why orders are blocked; undefined if they are not. Evaluated immediately before use. */
  readonly reason: () => string | undefined;
  /** Path of the file that stops every process on this machine, for messages; absent on platforms without files. */
  readonly file?: string | undefined;
}

/** Error for an order or a start while the kill switch is on. */
export function killRefusal(here: KillHere | undefined, what: string): AppError {
  const why = here?.reason();
  const until = why === undefined ? "turn it off to trade again" : `in this process, because ${why}`;
  return new AppError("Forbidden", `the kill switch is on: ${what}; ${until}`);
}

/** Wraps the store for such a process: the kill switch is on, and no intent is recorded. */
export function withKillHere(store: Store, { reason }: KillHere): Store {
  const isOn = () => reason() !== undefined;
  return {
    ...store,
    killed: async (account, kind) => isOn() || store.killed(account, kind),
    knownKilled: (kind) => isOn() || store.knownKilled(kind),
    async takeLease(request) {
      const snapshot = await store.takeLease(request);
      return snapshot && isOn()
        ? { ...snapshot, kill: { ...snapshot.kill, on: true, sells: false } }
        : snapshot;
    },
    record: (lease, changes) =>
      store.record(lease, isOn() ? changes.map((change) => ({ ...change, intents: [] })) : changes),
    createStrategy: (strategy, by) => store.createStrategy({ ...strategy, isKilledHere: isOn }, by),
    recordByHand: async (order, terms, by) =>
      isOn() ? { result: "refused" } : store.recordByHand(order, terms, by),
  };
}
