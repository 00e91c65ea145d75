/** Agreements as responses show them. */
import { splitPair } from "../kernel/pair.ts";
import type { AgreementTerms, AgreementVersion } from "../model/samples/agreement.ts";
import { dateOf } from "../model/usage.ts";
import { type NamedAgreement, stateOf } from "./agreement.ts";
import type { AgreementAnswer } from "./agreement-schema.ts";
import { describeTerms } from "./presets.ts";
import { describeTotalRules } from "./total.ts";

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

const shownDay = (day: number | null): string => (day === null ? "none" : dateOf(day));

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

/** Returns who changed what and when; `versions` are all of them, oldest first. */
export const historyView = (versions: readonly AgreementVersion[]) =>
  versions.map((one, index) => ({
    version: one.version,
    at: one.at,
    actor: one.actor,
    changes: agreementChanges(versions[index - 1], one),
  }));
