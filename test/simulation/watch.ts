import { isSomething } from "../../src/engine/decide/changes.ts";
import type { Changes } from "../../src/ports/stores/step-store.ts";
import type { SimStore } from "./ports.ts";
import type { Tables } from "./store/tables.ts";

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
const OF_EACH_PASS = new Set(["acquire", "settle"]);

/** Notes are written at intervals for ever: how far trades are read, an account's marks, the prices of each minute. */
function isNote({ strategy, ...change }: Changes, tables: Tables): boolean {
  if (isSomething({ ...change, strategy: null, memory: null, cursors: {} })) return false;
  const before = strategy && tables.strategies.get(strategy.id);
  if (!strategy || !before) return strategy === null;
  const { status, phase, lastError, state } = strategy;
  const isSame = before.status === status && before.phase === phase && before.lastError === lastError;
  const names = Object.keys({ ...before.state, ...state }) as (keyof typeof state)[];
  return isSame && names.every((name) => (name as string) === "mids" || state[name] === before.state[name]);
}

/** The store, telling when it may have changed, and whether by more than what passes note for ever. */
export function watch(store: SimStore, tables: () => Tables, changed: (matters: boolean) => void): SimStore {
  const matters = (name: string, [, changes]: readonly unknown[]): boolean =>
    name === "record"
      ? (changes as readonly Changes[]).some((one) => !isNote(one, tables()))
      : !OF_EACH_PASS.has(name);
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
