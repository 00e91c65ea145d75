import { useState } from "hono/jsx/dom";
import { pluralize } from "../../kernel/plain-text.ts";
import type { Preview } from "../../model/proposal.ts";
import { type ApiError, ask, part } from "../api.ts";
import { number } from "../format.ts";
import { useLoad } from "../live.ts";
import { Pager, Table, type TableColumn } from "../table.tsx";
import type { AuditEvent, AuditVerdict, PendingPlan } from "../types.ts";
import { Failed, NoticeBox, Section, Shown, Time, useConfirmation } from "../ui.tsx";

interface Recent {
  readonly last: number;
}

const EVENTS_PER_PAGE = 100;

const AUDIT_COLUMNS: readonly TableColumn<AuditEvent>[] = [
  { name: "Time", isHead: true, of: ({ at }) => <Time at={at} /> },
  { name: "Event", of: ({ kind }) => kind.replaceAll("_", " "), by: ({ kind }) => kind },
  { name: "Message", of: ({ message }) => <span class="break">{message}</span> },
  { name: "By", of: ({ actor }) => actor ?? "–", by: ({ actor }) => actor ?? "" },
  {
    name: "Strategy or account",
    of: ({ strategy, account }) => <span class="break">{strategy ?? (account || "everything")}</span>,
  },
];

/** The audit log: events with actors, newest first, and a check of its completeness. */
export function Audit() {
  const recent = useLoad<Recent>("GET /events", {}, { live: true });
  const [back, setBack] = useState(0);
  const last = recent.data?.last;
  const after = last === undefined ? undefined : Math.max(0, last - EVENTS_PER_PAGE * (back + 1));
  const page = useLoad<{ events: readonly AuditEvent[] }>(
    after === undefined ? undefined : "GET /audit",
    { after, limit: EVENTS_PER_PAGE },
    { keep: true },
  );
  return (
    <>
      <h1>Audit</h1>
      <Verify />
      <Section title="Events">
        <Shown of={recent.error ? { ...page, error: recent.error, again: recent.again } : page} rows={12}>
          {({ events }) => (
            <>
              <Table
                label="Events, newest first"
                columns={AUDIT_COLUMNS}
                rows={events.toReversed()}
                keyOf={({ id }) => id}
                empty="No events yet."
              />
              <Pager
                before={back > 0 ? back : undefined}
                next={after !== undefined && after > 0 ? back + 1 : null}
                go={(further = 0) => setBack(further)}
              />
            </>
          )}
        </Shown>
      </Section>
    </>
  );
}

/** Verifies the log part by part, and reports progress. */
async function verifyAll(tell: (events: number) => void): Promise<AuditVerdict> {
  let all: AuditVerdict | undefined;
  for (let after: number | null = 0; after !== null; after = all.next) {
    const part: AuditVerdict = await ask<AuditVerdict>("GET /audit/verify", { query: { after } });
    const { events = 0, faults = [] } = all ?? {};
    all = { ...part, events: events + part.events, faults: [...faults, ...part.faults] };
    tell(all.events);
  }
  return all as AuditVerdict;
}

function Verify() {
  const [state, setState] = useState<{ verdict?: AuditVerdict; error?: ApiError; looked?: number }>({});
  const verify = () => {
    setState({ looked: 0 });
    verifyAll((looked) => setState({ looked })).then(
      (verdict) => setState({ verdict }),
      (error) => setState({ error }),
    );
  };
  const { verdict, error, looked } = state;
  return (
    <Section
      title="Integrity"
      aside={
        <button type="button" disabled={looked !== undefined} onClick={verify}>
          {looked === undefined ? "Verify" : `Verifying… ${number(looked)}`}
        </button>
      }
    >
      {error ? <Failed error={error} /> : null}
      {verdict ? (
        <NoticeBox kind={verdict.faults.length === 0 ? "note" : "error"}>
          {verdict.faults.length === 0
            ? `${pluralize(number(verdict.events), "event")} and ${verdict.checkpoints} checkpoints verified: nothing was changed, deleted or inserted.`
            : verdict.faults
                .map(({ event, what }) => `${event === null ? "" : `event ${event}: `}${what}`)
                .join("; ")}
        </NoticeBox>
      ) : (
        <p class="empty">Recomputes every hash, and compares the signed checkpoints.</p>
      )}
    </Section>
  );
}

/** Agents' plans for a person to approve or refuse. */
export function Plans() {
  const plans = useLoad<{ plans: readonly PendingPlan[] }>("GET /plans", {}, { live: true });
  return (
    <>
      <h1>Agents</h1>
      <Shown of={plans}>
        {(data) =>
          data.plans.length === 0 ? (
            <p class="empty">No plans are waiting. A plan of an agent appears here for five minutes.</p>
          ) : (
            data.plans.map((plan) => <OnePlan key={plan.id} plan={plan} again={plans.again} />)
          )
        }
      </Shown>
    </>
  );
}

/** What an order or a plan of an agent does, costs, and can lose at worst. */
export const PreviewText = ({ of }: { of: Preview }) => (
  <>
    <p>
      <b>{of.what}</b>
    </p>
    <p>Cost: {of.cost}.</p>
    <p class="quiet">Worst case: {of.worstCase}.</p>
    {of.limits.map((limit) => (
      <NoticeBox key={limit}>{limit}</NoticeBox>
    ))}
  </>
);

function OnePlan({ plan, again }: { plan: PendingPlan; again: () => void }) {
  const [question, put] = useConfirmation();
  const decide = (how: "approve" | "refuse") =>
    put({
      title: how === "approve" ? "Approve this plan?" : "Refuse this plan?",
      says: <PreviewText of={plan} />,
      yes: how === "approve" ? "Approve it" : "Refuse it",
      dangerous: how === "approve",
      act: async () => {
        const { message } = await ask<{ message: string }>(`POST /plans/${part(plan.id)}`, {
          body: { decision: how },
        });
        again();
        return message;
      },
    });
  return (
    <Section
      title={`${plan.tool}, by ${plan.by}`}
      aside={
        <div class="actions">
          {plan.approved ? (
            <b class="tag up">approved</b>
          ) : (
            <button type="button" onClick={() => decide("approve")}>
              Approve
            </button>
          )}
          <button type="button" onClick={() => decide("refuse")}>
            Refuse
          </button>
        </div>
      }
    >
      <PreviewText of={plan} />
      <p class="quiet">
        Expires <Time at={plan.expiresAt} />.
      </p>
      {question}
    </Section>
  );
}
