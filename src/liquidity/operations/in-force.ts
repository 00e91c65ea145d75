import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { AgreementVersion } from "../../model/samples/agreement.ts";
import type { PromisedPair } from "../../model/samples/promise.ts";
import { agreementOf, isSampled, type NamedAgreement, settingsAgreement } from "../agreement.ts";
import type { AgreementStore } from "../store/agreements.ts";
import type { LiquidityDeps } from "../store/store.ts";

export type AgreementDeps = Pick<LiquidityDeps, "liquidity" | "exchanges">;

const configuredIds = ({ exchanges }: AgreementDeps): string[] => exchanges.map(({ id }) => id);

/** Returns all agreements: the settings' first, then the stored ones by name. */
export async function readAgreements(deps: AgreementDeps): Promise<NamedAgreement[]> {
  const { agreements, pairs = [] } = deps.liquidity ?? {};
  const stored = (await agreements?.agreements()) ?? [];
  const ofSettings = settingsAgreement(pairs);
  return [
    ...(ofSettings ? [ofSettings] : []),
    ...stored.map((version) => agreementOf(version, configuredIds(deps))),
  ];
}

/** Returns the sampled pairs of the settings and of agreements; a pair of several agreements appears several times. */
export const promisedPairs = async (deps: AgreementDeps, today: number): Promise<readonly PromisedPair[]> =>
  withAgreed(deps, (await deps.liquidity?.agreements?.agreements()) ?? [], today);

function withAgreed(
  deps: AgreementDeps,
  stored: readonly AgreementVersion[],
  today: number,
): readonly PromisedPair[] {
  const agreed = stored
    .map((version) => agreementOf(version, configuredIds(deps)))
    .filter((agreement) => isSampled(agreement, today))
    .flatMap(({ name, until, markets }) => markets.map((market) => ({ ...market, agreement: name, until })));
  return [...(deps.liquidity?.pairs ?? []), ...agreed];
}

/** The stored agreements as this process read them last. */
const recent = new WeakMap<
  AgreementStore,
  { readonly at: Millis; readonly stored: readonly AgreementVersion[] }
>();

/** Lets this process read the agreements again. */
export const forgetAgreements = (store: AgreementStore): boolean => recent.delete(store);

/** Does the same for sampling, and reads stored agreements once a minute; `at` is monotonic time. */
export async function recentPairs(
  deps: AgreementDeps,
  at: Millis,
  today: () => Promise<number>,
): Promise<readonly PromisedPair[]> {
  const { agreements, pairs = [] } = deps.liquidity ?? {};
  if (!agreements) return pairs;
  const known = recent.get(agreements);
  const read = async () => ({ at, stored: await agreements.agreements() });
  const { stored, ...found } = known && at - known.at < MINUTE ? known : await read();
  recent.set(agreements, { stored, ...found });
  return stored.length === 0 ? pairs : withAgreed(deps, stored, await today());
}
