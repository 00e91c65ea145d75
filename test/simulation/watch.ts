import { changesAnything } from "../../src/engine/decide/changes.ts";
import type { Changes } from "../../src/ports/stores/pass-store.ts";
import type { SimStore } from "./ports.ts";

const READS = new Set([
  "due",
  "killed",
  "knownKilled",
  "strategies",
  "now",
  "ordersOf",
  "fillsOf",
  "eventsOf",
  "releasedOrdersOf",
  "ordersByIds",
  "orderByClientId",
  "readLimits",
]);

// Each pass takes its lease and gives it back.
const OF_EACH_PASS = new Set(["takeLease", "settle"]);

/** Notes are written at intervals for ever: how far trades are read to their end, and an account's marks. */
const isNote = (change: Changes): boolean =>
  !changesAnything({ ...change, memory: null, cursors: {} }) &&
  Object.values(change.cursors).every(({ ahead }) => ahead === null);

/** The store, telling when it may have changed, and whether by more than what passes note for ever. */
export function watch(store: SimStore, changed: (matters: boolean) => void): SimStore {
  const matters = (name: string, [, changes]: readonly unknown[]): boolean =>
    name === "record" ? (changes as readonly Changes[]).some((one) => !isNote(one)) : !OF_EACH_PASS.has(name);
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    READS.has(name)
      ? method
      : (...args: never[]) => {
          changed(matters(name, args));
          return (method as (...all: never[]) => Promise<unknown>)(...args);
        },
  ]);
  return Object.fromEntries(wrapped) as SimStore;
}
