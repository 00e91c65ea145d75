import * as z from "zod";
import { countField, rowsField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { ChainedEvent } from "../../ports/stores/audit-store.ts";
import { verify } from "./verify.ts";

export const AuditEventShape = lazy(() =>
  z.object({
    id: z.number(),
    chain: z.string().nullable(),
    seq: z.number().nullable(),
    account: z.string(),
    strategy: z.string().nullable(),
    at: z.number(),
    kind: z.string(),
    message: z.string(),
    actor: z.string().nullable(),
    request: z.string().nullable(),
    hash: z.string().nullable(),
  }),
);
export const VerdictShape = lazy(() =>
  z.object({
    intact: z.boolean(),
    events: z.number().describe("Number of events checked"),
    unchained: z.number(),
    chains: z.number(),
    checkpoints: z.number(),
    faults: z.array(z.object({ event: z.number().nullable(), what: z.string() })),
    next: z.number().nullable().describe("Value of `after` for the next request; null at the end"),
  }),
);

const after = () => countField("Invalid request", { least: 0, most: Number.MAX_SAFE_INTEGER }).default(0);

/** Maximum events per response, so its duration does not grow with the log. */
const MOST_EVENTS = 2000;

const AUDIT_OPERATION = { effect: "admin", access: "token", failure: "Internal error" } as const;

/** Operations that list events with their actors, and verify that the log is complete and unchanged. */
export const auditOperations: readonly Operation[] = [
  operation({
    ...AUDIT_OPERATION,
    name: "get_audit_events",
    summary: "List events in the order of their hash chain, oldest first",
    http: { route: "GET /audit", from: "query" },
    input: () =>
      z.object({
        after: after().describe("Only events after this id: `next` of the previous page"),
        limit: rowsField(),
      }),
    output: () =>
      z.object({ events: z.array(AuditEventShape()), count: z.number(), next: z.number().nullable() }),
    async run({ store }, { after, limit }) {
      const events = await store.eventsAfter(after, limit);
      const next = events.length < limit ? null : (events.at(-1)?.id ?? null);
      return { events: events.map(chainedOut), count: events.length, next };
    },
  }),
  operation({
    ...AUDIT_OPERATION,
    name: "verify_audit",
    summary: "Check whether events were changed, deleted, moved or inserted; 2,000 per request",
    http: { route: "GET /audit/verify", from: "query" },
    input: () =>
      z.object({ after: after().describe("Only events after this id: `next` of the previous part") }),
    output: VerdictShape,
    async run({ store, signers = [] }, { after }) {
      const { faults, ...verdict } = await verify(store, signers, { after, most: MOST_EVENTS });
      return { ...verdict, faults: [...faults] };
    },
  }),
];

/** Formats every hashed field of an event. */
export const chainedOut = (event: ChainedEvent): z.output<ReturnType<typeof AuditEventShape>> =>
  AuditEventShape().parse(event);
