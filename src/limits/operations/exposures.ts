import type { Decimal } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Limits, LimitsRead, LimitsRequest, LimitUsage } from "../../model/limits.ts";
import { type Exposure, type KnownExposure, NO_EXPOSURE } from "../../model/proposal.ts";
import { exceedsToken, limitError } from "../allowed.ts";
import { ownLimits, scopeOfToken, usedOf } from "../standing.ts";

/** A known exposure, or a function that reads it; only callers with limits pay for the read. */
export type ExposureRead = Exposure | (() => Promise<Exposure>);

/** A call whose exposure counts toward its token's limits. */
interface CountedCall {
  readonly exposure: ExposureRead;
  /** Whether its orders count toward the token's limits when they are recorded. */
  readonly isCountedByOrders?: boolean;
}

/** Stored limits of tokens, and their usage. */
interface TokenLimits {
  readonly store: {
    readLimits(request: LimitsRequest): Promise<LimitsRead>;
    useLimit(use: {
      readonly scope: string;
      readonly asset: string;
      readonly notional: Decimal;
      readonly most: Decimal | null;
    }): Promise<boolean>;
  };
}

/** Reads an exposure; it is unknown if the exchange does not respond. */
export async function readExposure(exposure: ExposureRead): Promise<Exposure> {
  if (typeof exposure !== "function") return exposure;
  try {
    return await exposure();
  } catch (error) {
    if (error instanceof VenueError) return { trades: "unknown", why: error.message };
    throw error;
  }
}

/**
 * Checks a call against its token's limits and, if it `counts`, adds it to the token's daily usage. Returns whether
 * the token has such limits. Throws AppError with the limit that refuses it.
 */
export async function holdToToken(
  { store }: TokenLimits,
  { actor, counts }: { readonly actor: string; readonly counts: boolean },
  { exposure, isCountedByOrders }: CountedCall,
): Promise<boolean> {
  if (isCountedByOrders || exposure === NO_EXPOSURE) return false;
  const standing = await readToken(store, actor);
  const isLimited = limitsActions(standing.limits);
  if (!isLimited && typeof exposure === "function") return false;
  const found = await readExposure(exposure);
  if (found.trades === "nothing") return isLimited;
  const refused = isLimited ? exceedsToken(found, standing) : undefined;
  if (refused) throw limitError(refused);
  if (counts && found.trades === "known") await countForToken(store, standing, found);
  return isLimited;
}

async function readToken(store: TokenLimits["store"], actor: string): Promise<LimitUsage> {
  const scope = scopeOfToken(actor);
  const { now, stored, uses } = await store.readLimits({ scopes: [scope], account: "", actor: "" });
  return { scope, actor, limits: ownLimits(stored, scope), used: usedOf(uses, { now, openOrders: null }) };
}

const limitsActions = ({ dayNotional, orderNotional, symbols }: Limits): boolean =>
  dayNotional !== undefined || orderNotional !== undefined || symbols !== undefined;

/** Counts in one statement, so simultaneous calls cannot exceed the daily limit together. */
async function countForToken(
  store: TokenLimits["store"],
  { scope, limits, used }: LimitUsage,
  exposure: KnownExposure,
): Promise<void> {
  const { quote: asset } = splitPair(exposure.symbol);
  const most = limits.dayNotional ? (limits.dayNotional[asset] ?? 0n) : null;
  if (await store.useLimit({ scope, asset, notional: exposure.counted, most })) return;
  const today = { ...used.today, [asset]: most ?? 0n };
  const refused = exceedsToken(exposure, { limits, scope, used: { ...used, today } });
  if (refused) throw limitError(refused);
}
