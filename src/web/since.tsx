import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { pluralize } from "../kernel/plain-text.ts";
import type { EventKind } from "../model/events.ts";
import { levelOf } from "../model/news.ts";
import { useEffect } from "./effect.ts";
import { change, pairOf } from "./format.ts";
import { useLoad } from "./live.ts";
import { linkTo } from "./route.ts";
import type { Session, StrategyRow } from "./types.ts";
import { Time } from "./ui.tsx";

/** What a visit has shown: the last event, and each strategy's filled orders and realized P&L. */
interface Visit {
  readonly at: number;
  readonly last: number;
  readonly rows: Readonly<Record<string, readonly [filled: number, realized: string]>>;
}

const VISIT_KEY = "edgemaker.visit";
/** Time in milliseconds without this page after which the next one is another visit. */
const BETWEEN_VISITS_MS = 1_800_000;

/** Returns what the visit before this one has shown last; undefined on the first one, and if it cannot be read. */
function visitBefore(): Visit | undefined {
  try {
    const { latest, before } = JSON.parse(localStorage.getItem(VISIT_KEY) ?? "{}") as {
      latest?: Visit;
      before?: Visit;
    };
    return latest && Date.now() - latest.at > BETWEEN_VISITS_MS ? latest : before;
  } catch {
    return undefined;
  }
}

interface RecentEvents {
  readonly events: readonly { readonly kind: EventKind; readonly message: string }[];
  readonly last: number;
}

/** What happened since the last visit, each part with a link to its page; nothing if nothing did. */
export function SinceLastVisit({ rows, session }: { rows: readonly StrategyRow[]; session: Session }) {
  const [before] = useState(visitBefore);
  const { data: recent } = useLoad<RecentEvents>("GET /events", { after: before?.last }, { live: true });
  useEffect(() => {
    if (!recent) return undefined;
    const shown = rows.map(({ id, filledOrders, profit }) => [id, [filledOrders, profit]]);
    const latest: Visit = { at: Date.now(), last: recent.last, rows: Object.fromEntries(shown) };
    localStorage.setItem(VISIT_KEY, JSON.stringify({ latest, before }));
    return undefined;
  }, [recent, rows]);
  if (!before || !recent) return null;
  const gained = rows.flatMap((row) => {
    const { symbol, mode, id, startedAt } = row;
    // What an older one did before the visit is unknown if the visit did not show it.
    const [filled, realized] = before.rows[id] ?? (startedAt > before.at ? [0, "0"] : []);
    if (filled === undefined) return [];
    const quote = `${pairOf(symbol).quote}${mode === "paper" ? " (paper trading)" : ""}`;
    return { id, quote, filled: row.filledOrders - filled, realized: Number(row.profit) - Number(realized) };
  });
  const filled = gained.filter((one) => one.filled > 0);
  const [first, ...others] = filled;
  const alerts = recent.events.filter(({ kind, message }) => levelOf(kind, message) === "alert").length;
  const sums = [...new Set(gained.map(({ quote }) => quote))].map(
    (quote) =>
      [
        quote,
        gained.filter((one) => one.quote === quote).reduce((sum, { realized }) => sum + realized, 0),
      ] as const,
  );
  const parts: readonly (readonly [string, ...path: string[]])[] = [
    ...(first
      ? [
          [
            pluralize(
              filled.reduce((sum, one) => sum + one.filled, 0),
              "filled order",
            ),
            ...(others.length === 0 ? ["strategy", first.id, "orders"] : ["report"]),
          ] as const,
        ]
      : []),
    ...sums
      .filter(([, sum]) => Math.abs(sum) >= 0.005)
      .map(([quote, sum]) => [`${change(sum)} ${quote} realized`, "report"] as const),
    ...(alerts > 0
      ? [[pluralize(alerts, "alert"), session.scope === "admin" ? "audit" : "report"] as const]
      : []),
  ];
  if (parts.length === 0) return null;
  return (
    <p>
      Since <Time at={before.at} />:{" "}
      {parts.map(
        ([text, ...path], at): Child => (
          <>
            {at === 0 ? "" : ", "}
            <a href={linkTo(...path)}>{text}</a>
          </>
        ),
      )}
    </p>
  );
}
