import * as z from "zod";
import { digest, sameText } from "../../kernel/digest.ts";
import { countField, rowsField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type ChainMark, type Checkpoint, checkpointText, eventText } from "../../model/events.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AuditStore, ChainedEvent, ChainPlace, Signer } from "../../ports/stores/store.ts";

/** A problem, with the event's id if it concerns one. */
interface Fault {
  readonly event: number | null;
  readonly what: string;
}

export interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  /** Number of events older than the chains, which cannot be verified. */
  readonly unchained: number;
  readonly chains: number;
  readonly checkpoints: number;
  readonly faults: readonly Fault[];
  /** The id to continue after; null if the requested part was the last. */
  readonly next: number | null;
}

/** The events to read: at most a number of those after an id; all by default. */
interface Part {
  readonly after?: number;
  readonly maxEvents?: number;
}

const EVENTS_PER_READ = 1000;
/** Maximum number of reported faults; the others usually follow from the first ones. */
const MAX_FAULTS_REPORTED = 100;

/**
 * Verifies each event against the previous one and against the signatures. A part is verified like the whole: the
 * event before its first one is looked up. Missing events at the end are reported with the last part.
 */
export async function verify(
  store: AuditStore,
  signers: readonly Signer[],
  { after = 0, maxEvents = Infinity }: Part = {},
): Promise<Verdict> {
  // Before the events, so an event that is written meanwhile is missing from neither.
  const [checkpoints, count] = [await store.checkpoints(), await store.eventCount()];
  const [behind] = after === 0 ? [] : await store.eventsAfter(after - 1, 1);
  const walk = createWalk(checkpoints, { store, after, isChained: isPlaced(behind) });
  let [id, events, isLast] = [after, 0, false];
  while (!isLast && events < maxEvents) {
    const limit = Math.min(EVENTS_PER_READ, maxEvents - events);
    const page = await store.eventsAfter(id, limit);
    for (const event of page) await walk.take(event);
    await walk.compare();
    events += page.length;
    id = page.at(-1)?.id ?? id;
    isLast = page.length < limit;
  }
  const faults = [
    ...(await signatureFaults(checkpoints, signers)),
    ...walk.faults(),
    ...(isLast ? [...(await walk.ends()), ...countFaults(id, count)] : []),
  ];
  return {
    intact: faults.length === 0,
    events,
    unchained: walk.unchained(),
    chains: walk.chains(),
    checkpoints: checkpoints.length,
    faults: faults.slice(0, MAX_FAULTS_REPORTED),
    next: isLast ? null : id,
  };
}

const isPlaced = (event: ChainedEvent | undefined): boolean =>
  event !== undefined && event.chain !== null && event.seq !== null && event.hash !== null;

/** The position that a chain has reached, with the event's id if it was looked up. */
type Reached = Pick<ChainPlace, "seq" | "hash"> & Partial<Pick<ChainPlace, "id">>;

interface Begin {
  readonly store: Pick<AuditStore, "placeBefore">;
  /** Only events after this id are read. */
  readonly after: number;
  readonly isChained: boolean;
}

function createWalk(checkpoints: readonly Checkpoint[], { store, after, ...begin }: Begin) {
  const newest = checkpoints.at(-1);
  const cuts = chainStarts(newest);
  const last = new Map<string, Reached>();
  const signed = signedPlaces(checkpoints);
  const found: (Fault | undefined)[] = [];
  /**
   * Running hash computations, each with the position of a possible fault; sequential hashing of a long log would be
   * slow.
   */
  const underway: Promise<void>[] = [];
  let unchained = 0;
  let { isChained } = begin;

  async function compareHash(hash: string, text: string, faultOf: () => Fault): Promise<void> {
    const at = found.push(undefined) - 1;
    if (!sameText(hash, await digest(text))) found[at] = faultOf();
  }

  async function beginOf(chain: string, seq: number): Promise<Reached> {
    const cut = cuts.get(chain) ?? { seq: 0, hash: "" };
    const found = after === 0 ? undefined : await store.placeBefore(chain, seq);
    return found && found.seq > cut.seq ? found : cut;
  }

  return {
    faults: (): Fault[] => found.filter((fault) => fault !== undefined),
    unchained: () => unchained,
    /** Resolves when all started hashes were compared. */
    async compare(): Promise<void> {
      await Promise.all(underway.splice(0));
    },
    chains: () => new Set([...cuts.keys(), ...last.keys()]).size,
    async take(event: ChainedEvent): Promise<void> {
      const { id, chain, seq, hash } = event;
      const faultOf = (what: string): Fault => ({
        event: id,
        what: `event ${event.id} (${event.kind}, ${event.at}) ${what}`,
      });
      const wrong = (what: string) => found.push(faultOf(what));
      if (chain === null || seq === null || hash === null) {
        if (isChained) wrong("belongs to no chain: it was inserted later");
        unchained++;
        return;
      }
      isChained = true;
      const before = last.get(chain) ?? (await beginOf(chain, seq));
      if (before.id !== undefined && before.id > after)
        wrong(`precedes number ${before.seq}: it was moved or inserted`);
      if (seq <= before.seq)
        return void wrong(`is number ${seq} after ${before.seq}: it was moved or inserted`);
      if (seq > before.seq + 1)
        wrong(`follows number ${before.seq}: ${seq - before.seq - 1} before it were deleted`);
      else {
        const isChanged = "does not match its hash: this event or the one before it was changed";
        const text = eventText(before.hash, { ...event, chain, seq });
        underway.push(compareHash(hash, text, () => faultOf(isChanged)));
      }
      const mark = signed.get(chainPlace({ chain, seq }));
      if (mark && mark.hash !== hash) wrong(`differs from the event that checkpoint ${mark.number} signed`);
      last.set(chain, { seq, hash });
    },
    /** Returns faults for chains that end before their signed position. */
    async ends(): Promise<Fault[]> {
      const ends: Fault[] = [];
      for (const { chain, seq } of newest?.marks ?? []) {
        const reached = (last.get(chain) ?? (await beginOf(chain, seq + 1))).seq;
        if (reached >= seq) continue;
        const what = `${chainName(chain)} ends at number ${reached}, but checkpoint ${newest?.number} signed ${seq}`;
        ends.push({ event: null, what });
      }
      return ends;
    },
  };
}

/** Returns where each chain begins, if events before that were deleted. */
const chainStarts = (newest: Checkpoint | undefined): Map<string, Reached> =>
  new Map((newest?.marks ?? []).map(({ chain, from, before }) => [chain, { seq: from - 1, hash: before }]));

const chainPlace = ({ chain, seq }: Pick<ChainMark, "chain" | "seq">): string => `${seq} ${chain}`;

/** Returns the hashes that checkpoints signed, by their position. */
const signedPlaces = (checkpoints: readonly Checkpoint[]) =>
  new Map(
    checkpoints.flatMap(({ number, marks }) =>
      marks.map((mark) => [chainPlace(mark), { number, hash: mark.hash }] as const),
    ),
  );

const chainName = (chain: string): string =>
  chain === "" ? "the chain of manual actions" : `the chain of ${chain}`;

const UNSIGNED =
  "there is no checkpoint, so nothing shows whether the whole log was replaced; create one with `edgemaker audit checkpoint`";

/**
 * Checks signatures. The operator's key must have signed the newest checkpoint; older ones are checked if their key
 * still exists.
 */
async function signatureFaults(
  checkpoints: readonly Checkpoint[],
  signers: readonly Signer[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const wrong = (what: string) => faults.push({ event: null, what });
  if (signers.length > 0 && checkpoints.length === 0) wrong(UNSIGNED);
  let [before, number] = ["", 0];
  for (const checkpoint of checkpoints) {
    number++;
    const signer = signers.find(({ key }) => key === checkpoint.key);
    if (checkpoint.number !== number) wrong(`checkpoint ${number} was deleted`);
    else if (signer && !sameText(await signer.sign(checkpointText(before, checkpoint)), checkpoint.signature))
      wrong(`checkpoint ${number} or the one before it was changed`);
    else if (!signer && checkpoint === checkpoints.at(-1))
      wrong(
        `checkpoint ${number} cannot be checked: set the EDGEMAKER_KEK (${checkpoint.key}) that signed it`,
      );
    [before, number] = [checkpoint.signature, checkpoint.number];
  }
  return faults;
}

/**
 * Compares the number of events with the database's count of all events ever written, which shows missing ones at the
 * end.
 */
function countFaults(last: number, count: number): Fault[] {
  if (last >= count) return [];
  return [{ event: null, what: `the events after ${last} were deleted: ${count} were written` }];
}

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

const after = () => countField("Invalid request", { min: 0, max: Number.MAX_SAFE_INTEGER }).default(0);

/** Maximum events per response, so its duration does not grow with the log. */
const MAX_EVENTS_PER_RESPONSE = 2000;

const AUDIT_OPERATION = { effect: "admin", access: "token", failure: "Internal error" } as const;

/** Formats every hashed field of an event. */
export const chainedOut = (event: ChainedEvent): z.output<ReturnType<typeof AuditEventShape>> =>
  AuditEventShape().parse(event);

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
      const { faults, ...verdict } = await verify(store, signers, {
        after,
        maxEvents: MAX_EVENTS_PER_RESPONSE,
      });
      return { ...verdict, faults: [...faults] };
    },
  }),
];
