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

/** The store, telling when it may have changed. */
export function watch(store: SimStore, changed: (name: string) => void): SimStore {
  const wrapped = Object.entries(store).map(([name, method]) => [
    name,
    READS.has(name)
      ? method
      : (...args: never[]) => {
          changed(name);
          return (method as (...all: never[]) => Promise<unknown>)(...args);
        },
  ]);
  return Object.fromEntries(wrapped) as SimStore;
}
