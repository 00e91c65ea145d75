import type { GridStrategy } from "../../grid/state/state.ts";
import { AppError } from "../../kernel/errors.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Call } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { betweenParts } from "../../ports/heavy.ts";
import type { HistoryPlace, Page } from "../../ports/stores/history-store.ts";
import type { GridRecord } from "../replay/replay.ts";

const ROWS = 1000;
/** Maximum number of pages, more than a year of a busy grid. */
const MOST_READ = 100;

/** Returns the stored history of a grid. Throws AppError if it exceeds the maximum. */
export async function recordOf(
  { store, marketTime, local }: Deps,
  strategy: GridStrategy,
  call: Call,
): Promise<Omit<GridRecord, "strategy">> {
  const { id, account } = strategy;
  const between = () => betweenParts(local, call);
  const orders = await allPages(
    between,
    (page) => store.ordersOf(id, page),
    ({ createdAt, clientId }) => ({ at: createdAt, id: clientId }),
  );
  const fills = await allPages(
    between,
    (page) => store.fillsOf(id, page),
    ({ at, tradeId }) => ({ at, id: tradeId }),
  );
  const events = await allPages(
    between,
    (page) => store.eventsOf(id, page),
    ({ at, id: number }) => ({ at, id: String(number) }),
  );
  const inMarketTime = (at: number) => marketTime(parseAccountKey(account), at);
  return {
    orders,
    fills,
    events: events.map((event) => ({ ...event, at: inMarketTime(event.at) })),
  };
}

/** Returns all rows of a history, oldest first, although its pages are newest first. */
async function allPages<T>(
  between: () => Promise<void>,
  read: (page: Page) => Promise<readonly T[]>,
  placeOf: (row: T) => HistoryPlace,
): Promise<readonly T[]> {
  const pages: (readonly T[])[] = [];
  for (let before: HistoryPlace | undefined; pages.length < MOST_READ; ) {
    const rows = await read({ limit: ROWS, ...(before ? { before } : {}) });
    pages.push(rows);
    await between();
    if (rows.length < ROWS) return pages.flat().reverse();
    before = placeOf(rows.at(-1) as T);
  }
  throw new AppError(
    "Invalid request",
    `the grid has more than ${MOST_READ * ROWS} orders, fills or events; use backtest --from instead`,
  );
}
