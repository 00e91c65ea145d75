import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { number } from "../format.ts";
import { useLoad } from "../load.ts";
import { type Column, Table } from "../table.tsx";
import { Failed, Notice, Section, Shown, Time } from "../ui.tsx";

interface AuditEvent {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly message: string;
  readonly actor: string | null;
  readonly account: string;
  readonly strategy: string | null;
}

interface Recent {
  readonly last: number;
}

interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  readonly checkpoints: number;
  readonly faults: readonly { readonly event: number | null; readonly what: string }[];
}

const PAGE = 200;

const COLUMNS: readonly Column<AuditEvent>[] = [
  { name: "Time", isHead: true, of: ({ at }) => <Time at={at} /> },
  { name: "What", of: ({ kind }) => kind.replaceAll("_", " "), by: ({ kind }) => kind },
  { name: "Told", of: ({ message }) => <span class="break">{message}</span> },
  { name: "By", of: ({ actor }) => actor ?? "–", by: ({ actor }) => actor ?? "" },
  {
    name: "Of",
    of: ({ strategy, account }) => <span class="break">{strategy ?? (account || "everything")}</span>,
  },
];

/** What was done, by whom, newest first, and whether that is all of it. */
export function Audit() {
  const recent = useLoad<Recent>("GET /events", {}, { live: true });
  const [back, setBack] = useState(0);
  const last = recent.data?.last;
  const after = last === undefined ? undefined : Math.max(0, last - PAGE * (back + 1));
  const page = useLoad<{ events: readonly AuditEvent[] }>(after === undefined ? undefined : "GET /audit", {
    after,
    limit: PAGE,
  });
  return (
    <>
      <h1>Audit</h1>
      <Verify />
      <Section title="What was done">
        <Shown of={page} rows={12}>
          {({ events }) => (
            <>
              <Table
                label="Events, newest first"
                columns={COLUMNS}
                rows={events.toReversed()}
                keyOf={({ id }) => id}
                empty="Nothing was done yet."
              />
              <footer class="pager">
                {back > 0 ? (
                  <button type="button" onClick={() => setBack(0)}>
                    Newest
                  </button>
                ) : null}
                {after !== undefined && after > 0 ? (
                  <button type="button" onClick={() => setBack(back + 1)}>
                    Older
                  </button>
                ) : null}
              </footer>
            </>
          )}
        </Shown>
      </Section>
    </>
  );
}

function Verify() {
  const [state, setState] = useState<{ verdict?: Verdict; error?: ApiError; busy?: boolean }>({});
  const verify = () => {
    setState({ busy: true });
    ask<Verdict>("GET /audit/verify").then(
      (verdict) => setState({ verdict }),
      (error) => setState({ error }),
    );
  };
  const { verdict, error, busy } = state;
  return (
    <Section
      title="Whether it is all of it"
      aside={
        <button type="button" disabled={busy === true} onClick={verify}>
          {busy ? "Looking through it…" : "Verify"}
        </button>
      }
    >
      {error ? <Failed error={error} /> : null}
      {verdict ? (
        <Notice kind={verdict.intact ? "note" : "error"}>
          {verdict.intact
            ? `${number(verdict.events)} events are chained, ${verdict.checkpoints} checkpoints hold: nothing was changed, deleted or put in.`
            : verdict.faults
                .map(({ event, what }) => `${event === null ? "" : `event ${event}: `}${what}`)
                .join("; ")}
        </Notice>
      ) : (
        <p class="empty">Recomputes every hash, and compares the signed checkpoints.</p>
      )}
    </Section>
  );
}
