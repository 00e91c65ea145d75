import type { HistoryStore, Page } from "../../../src/ports/stores/store.ts";
import type { Tables } from "./tables.ts";

export const memoryHistoryStore = (tables: Tables): HistoryStore => ({
  ordersOf: async (strategy, page) =>
    paged(
      [...tables.orders.values()].filter((order) => order.strategy === strategy),
      page,
      ({ createdAt, clientId }) => ({ at: createdAt, id: clientId }),
    ),

  fillsOf: async (strategy, page) =>
    paged(
      [...tables.fills.values()]
        .filter((fill) => fill.strategy === strategy)
        .map((fill) => ({ ...fill, label: tables.orders.get(fill.clientId)?.label ?? null })),
      page,
      ({ at, tradeId }) => ({ at, id: tradeId }),
    ),

  // No mid is stored here.
  measuredFillsOf: async () => [],
  spreadFillsOf: async () => [],

  eventsOf: async (strategy, page) =>
    paged(
      tables.events
        .map((event, place) => ({ ...event, id: place + 1 }))
        .filter((event) => event.strategy === strategy),
      page,
      ({ at, id }) => ({ at, id }),
    ),

  hasMoreThan: async (strategy, rows) => {
    const histories = [[...tables.orders.values()], [...tables.fills.values()], tables.events];
    return histories.some((history) => history.filter((row) => row.strategy === strategy).length > rows);
  },

  starterOf: async (strategy) =>
    tables.events.find((event) => event.strategy === strategy && event.kind === "started")?.actor ??
    undefined,

  archives: async () => [],
});

function paged<T>(
  rows: readonly T[],
  { limit, before }: Page,
  placeOf: (row: T) => { readonly at: number; readonly id: string | number },
): T[] {
  const isOlder = (row: T) => {
    const { at, id } = placeOf(row);
    if (!before || at !== before.at) return !before || at < before.at;
    if (before.id === undefined) return false;
    return typeof id === "number" ? id < Number(before.id) : id < before.id;
  };
  const newestFirst = (a: T, b: T) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return other.at - one.at || (one.id < other.id ? 1 : -1);
  };
  return rows.filter(isOlder).sort(newestFirst).slice(0, limit);
}
