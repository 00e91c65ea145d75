import * as z from "zod";
import { AppError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { dayOf } from "../../kernel/time.ts";
import { byOf } from "../../model/events.ts";
import { dateOf } from "../../model/limits.ts";
import { NO_EXPOSURE } from "../../model/proposal.ts";
import type { AgreementTerms, AgreementVersion } from "../../model/samples/promise.ts";
import { type Call, type Operation, operation, type PreparedCall } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import {
  type AgreementAnswer,
  AgreementChangeShape,
  AgreementListShape,
  agreementOf,
  dayNumber,
  type NamedAgreement,
  nameField,
  nullIfNone,
  SETTINGS_NAME,
  settingsAgreement,
  stateOf,
  storedNameField,
  TODAY,
  termsFields,
} from "../agreement-page.tsx";
import { describeTerms } from "../page-tables.tsx";
import { describeTotalRules } from "../report.ts";
import type { AgreementStore, LiquidityDeps } from "../store/store.ts";
import { forgetAgreements, readAgreements } from "./report.ts";

type ChangedAnswer = z.input<ReturnType<typeof AgreementChangeShape>>;

const storeOf = ({ liquidity }: LiquidityDeps): AgreementStore => {
  if (!liquidity?.agreements) throw new AppError("Not found", "agreements are not available here");
  return liquidity.agreements;
};

const noAgreement = (name: string) =>
  new AppError("Not found", `there is no agreement ${name}; \`edgemaker agreement list\` shows all of them`);

const exchangeIds = ({ exchanges }: ConfiguredExchanges) => exchanges.map(({ id }) => id);

/** Returns all versions of a stored agreement, oldest first. Throws AppError without one. */
async function storedVersions(deps: Deps, name: string) {
  const versions = await storeOf(deps).versions(name);
  const newest = versions.at(-1);
  if (!newest) throw noAgreement(name);
  return { versions, newest };
}

interface Change {
  readonly name: string;
  readonly terms: AgreementTerms;
  /** Oldest first; empty for a new agreement. */
  readonly versions: Awaited<ReturnType<AgreementStore["versions"]>>;
}

/** Prepares a new version. The same terms again change nothing, so a repeated request is harmless. */
function prepareChange(
  deps: Deps,
  call: Call,
  { name, terms, versions }: Change,
): PreparedCall<ChangedAnswer> {
  const [maker, before] = [versions[0]?.actor, versions.at(-1)];
  const version = (before?.version ?? 0) + 1;
  if (terms.until !== null && terms.until < terms.from)
    throw new AppError("Invalid request", "until must not be before from");
  const changes = agreementChanges(before, terms);
  const act = async (): Promise<ChangedAnswer> => {
    const store = storeOf(deps);
    const message = `${name}: ${changes}`;
    const isAdded = changes === "" || (await store.add({ ...terms, name, version }, message, byOf(call)));
    if (!isAdded)
      throw new AppError("Conflict", `${name} was changed at the same time; check it, then change it again`);
    forgetAgreements(store);
    const { newest } = await storedVersions(deps, name);
    const today = dayOf(await deps.store.now());
    const { agreement, state, from, until, ...view } = agreementView(
      agreementOf(newest, exchangeIds(deps)),
      newest,
      today,
    );
    return { agreement, state, from, until, version: view.version, changes };
  };
  return {
    preview: async () => ({
      what: changes === "" ? `change nothing of the agreement ${name}` : `agreement ${name}: ${changes}`,
      cost: "nothing is sold or bought",
      worstCase: "orders stay as they are; reports and alerts use the new terms",
      limits: [],
    }),
    exposure: NO_EXPOSURE,
    strategies: [],
    ofOthers: async () =>
      maker === undefined || maker === byOf(call).actor ? [] : [{ what: `the agreement ${name}`, maker }],
    act,
  };
}

const OF_WRITES = { effect: "trade", access: "token", failure: "Internal error" } as const;
const OF_READS = { effect: "read", access: "token", failure: "Internal error" } as const;

/** Returns the requested last day; `today` keeps the end of an agreement that has ended. */
async function untilOf(
  { store }: StoreDeps,
  request: string,
  ends: number | null = null,
): Promise<number | null> {
  const day = nullIfNone(request);
  if (day !== TODAY) return day === null ? null : dayNumber(day);
  const today = dayOf(await store.now());
  return ends === null ? today : Math.min(ends, today);
}

const shownDay = (day: number | null): string => (day === null ? "none" : dateOf(day));

const createAgreement = (ids: readonly string[]): Operation =>
  operation({
    ...OF_WRITES,
    name: "create_agreement",
    summary: "Create an agreement for several markets; its markets are sampled from its first day",
    http: { route: "POST /agreements", from: "body", idempotent: true },
    cli: {
      path: "agreement create",
      positional: ["agreement"],
      examples: [
        'edgemaker agreement create snek --markets "mexc:SNEK/USDT spread=2 depth=500, gateio:SNEK/USDT depth=300" --total "uptime=95" --counterparty "Snek Foundation" --from 2026-01-01 --until 2026-12-31',
      ],
    },
    input: () => z.object({ agreement: storedNameField(), ...termsFields(ids) }),
    output: AgreementChangeShape,
    async prepare(deps, { agreement: name, markets, ...given }, call) {
      const versions = await storeOf(deps).versions(name);
      const stored = versions.at(-1);
      const from = given.from === undefined ? undefined : dayNumber(given.from);
      const terms = {
        counterparty: nullIfNone(given.counterparty ?? "none"),
        from: from ?? stored?.from ?? dayOf(await deps.store.now()),
        until: await untilOf(deps, given.until ?? "none"),
        markets,
        total: nullIfNone(given.total ?? "none"),
      };
      if (stored && agreementChanges(stored, terms) !== "")
        throw new AppError(
          "Conflict",
          `the agreement ${name} exists already; edit it, or choose another name`,
        );
      return prepareChange(deps, call, { name, terms, versions });
    },
  });

const editAgreement = (ids: readonly string[]): Operation =>
  operation({
    ...OF_WRITES,
    name: "edit_agreement",
    summary: "Change the terms of an agreement, or end it; its history keeps the old ones",
    http: { route: "PATCH /agreements/:agreement", from: "body" },
    cli: {
      path: "agreement edit",
      positional: ["agreement"],
      words: {
        "agreement end": {
          summary: "End an agreement today; its reports and its history stay",
          input: { until: TODAY },
          fields: ["agreement"],
        },
      },
      examples: [
        "edgemaker agreement edit snek --until 2027-06-30 --total none",
        "edgemaker agreement end snek",
      ],
    },
    input: () => z.object({ agreement: storedNameField(), ...z.object(termsFields(ids)).partial().shape }),
    output: AgreementChangeShape,
    async prepare(deps, { agreement: name, ...given }, call) {
      const { versions, newest } = await storedVersions(deps, name);
      const terms = {
        counterparty: given.counterparty === undefined ? newest.counterparty : nullIfNone(given.counterparty),
        from: given.from === undefined ? newest.from : dayNumber(given.from),
        until: given.until === undefined ? newest.until : await untilOf(deps, given.until, newest.until),
        markets: given.markets ?? newest.markets,
        total: given.total === undefined ? newest.total : nullIfNone(given.total),
      };
      return prepareChange(deps, call, { name, terms, versions });
    },
  });

const listAgreements: Operation = operation({
  ...OF_READS,
  name: "list_agreements",
  summary: "List agreements with exchanges and token projects, or show one with its history",
  http: { route: "GET /agreements", from: "query" },
  cli: {
    path: "agreement list",
    positional: ["agreement"],
    words: {
      "agreement show": {
        summary: "Show an agreement with its rules and the history of its edits",
        input: {},
      },
    },
    view: (answer) => {
      const { agreements } = answer as z.output<ReturnType<typeof AgreementListShape>>;
      if (agreements[0]?.history) return agreements[0];
      return agreements.map(({ markets, text: _text, total, unknownMarkets: _unknown, ...rest }) => ({
        ...rest,
        markets: markets.map(({ exchange, symbol }) => `${exchange}:${symbol}`).join(", "),
        total: total.join("; "),
      }));
    },
    columns: [
      "agreement",
      "state",
      "from",
      "until",
      "counterparty",
      "markets",
      "total",
      "version",
      "source",
      "at",
      "actor",
      "changes",
    ],
  },
  mcp: { isSelfContained: true },
  input: () =>
    z.object({
      agreement: nameField().optional().describe("Name of one agreement, with its history; default: all"),
    }),
  output: AgreementListShape,
  async run(deps: LiquidityDeps, { agreement: name }) {
    const today = dayOf(await deps.store.now());
    if (name !== undefined) return { agreements: [await shownAgreement(deps, name, today)], count: 1 };
    const stored = new Map((await deps.liquidity?.agreements?.agreements())?.map((one) => [one.name, one]));
    const agreements = (await readAgreements(deps)).map((agreement) =>
      agreementView(agreement, stored.get(agreement.name), today),
    );
    return { agreements, count: agreements.length };
  },
});

/** Returns an agreement with its rules and the history of its edits. Throws AppError without one. */
async function shownAgreement(deps: LiquidityDeps, name: string, today: number): Promise<AgreementAnswer> {
  if (name === SETTINGS_NAME) {
    const ofSettings = settingsAgreement(deps.liquidity?.pairs ?? []);
    if (!ofSettings) throw noAgreement(name);
    return { ...agreementView(ofSettings, undefined, today), history: [] };
  }
  const { versions, newest } = await storedVersions(deps, name);
  return {
    ...agreementView(agreementOf(newest, exchangeIds(deps)), newest, today),
    history: historyView(versions),
  };
}

/** Returns who changed what and when; `versions` are all of them, oldest first. */
export const historyView = (versions: readonly AgreementVersion[]) =>
  versions.map((one, index) => ({
    version: one.version,
    at: one.at,
    actor: one.actor,
    changes: agreementChanges(versions[index - 1], one),
  }));

/** Operations of agreements; the report shows what of them was kept. */
export const agreementOperations = (ids: readonly string[]): readonly Operation[] => [
  listAgreements,
  createAgreement(ids),
  editAgreement(ids),
];

/** Returns the response for an agreement; `stored` is its newest version, undefined for the settings. */
export function agreementView(
  agreement: NamedAgreement,
  stored: AgreementVersion | undefined,
  today: number,
): AgreementAnswer {
  const { name, counterparty, from, until, markets, unknownMarkets, total, version, at } = agreement;
  return {
    agreement: name,
    source: stored ? "stored" : "settings",
    state: stateOf(agreement, today),
    counterparty,
    from: stored ? dateOf(from) : null,
    until: until === null ? null : dateOf(until),
    markets: markets.map(({ exchange, symbol, promise }) => ({
      exchange,
      symbol,
      preset: promise.preset,
      terms: describeTerms(promise, splitPair(symbol).quote),
    })),
    unknownMarkets: [...unknownMarkets],
    total: total === null ? [] : describeTotalRules(total),
    text: stored ? { markets: stored.markets, total: stored.total } : { markets: "", total: null },
    version,
    changedAt: stored ? at : null,
  };
}

/** Describes the changes between two versions; `before` is undefined for a creation. */
export function agreementChanges(before: AgreementTerms | undefined, after: AgreementTerms): string {
  const shown = ({ counterparty, from, until, markets, total }: AgreementTerms) => ({
    markets,
    counterparty: counterparty ?? "none",
    from: shownDay(from),
    until: shownDay(until),
    total: total ?? "none",
  });
  const [was, is] = [before && shown(before), shown(after)];
  return (Object.keys(is) as (keyof typeof is)[])
    .filter((name) => (was ? was[name] !== is[name] : is[name] !== "none"))
    .map((name) => (was ? `${name} is ${is[name]}, was ${was[name]}` : `${name} is ${is[name]}`))
    .join("; ");
}
