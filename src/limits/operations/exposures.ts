import type { Decimal } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Limits, LimitsRead, LimitsRequest, Standing } from "../../model/limits.ts";
import { type Exposure, type KnownExposure, TRADES_NOTHING } from "../../model/proposal.ts";
import { exceedsToken, limitError } from "../allowed.ts";
import { ownLimits, scopeOfToken, usedOf } from "../standing.ts";

/** An exposure as it is known, or how to read it: only a caller with limits pays for the reading. */
export type ExposureRead = Exposure | (() => Promise<Exposure>);

/** A call whose exposure its token's limits are checked against. */
interface CountedCall {
  readonly exposure: ExposureRead;
  /** Its orders count against the token's limits, each in the statement that records it. */
  readonly isCountedByOrders?: boolean;
}

/** Where a token's limits are, and what of them is used. */
export interface TokenLimits {
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

/** What an exchange does not answer leaves the exposure unknown. */
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
 * Checks a call against its token's own limits and, where it `counts`, uses its share of the token's day. Returns whether
 * the token has such limits. Throws AppError with the limit that refuses it.
 */
export async function holdToToken(
  { store }: TokenLimits,
  { actor, counts }: { readonly actor: string; readonly counts: boolean },
  { exposure, isCountedByOrders }: CountedCall,
): Promise<boolean> {
  if (isCountedByOrders || exposure === TRADES_NOTHING) return false;
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

async function readToken(store: TokenLimits["store"], actor: string): Promise<Standing> {
  const scope = scopeOfToken(actor);
  const { now, stored, uses } = await store.readLimits({ scopes: [scope], account: "", actor: "" });
  return { scope, actor, limits: ownLimits(stored, scope), used: usedOf(uses, { now, openOrders: null }) };
}

const limitsActions = ({ dayNotional, orderNotional, symbols }: Limits): boolean =>
  dayNotional !== undefined || orderNotional !== undefined || symbols !== undefined;

/** In one statement, so that of many calls at once no more are counted than the day leaves room for. */
async function countForToken(
  store: TokenLimits["store"],
  { scope, limits, used }: Standing,
  exposure: KnownExposure,
): Promise<void> {
  const { quote: asset } = splitPair(exposure.symbol);
  const most = limits.dayNotional ? (limits.dayNotional[asset] ?? 0n) : null;
  if (await store.useLimit({ scope, asset, notional: exposure.counted, most })) return;
  const today = { ...used.today, [asset]: most ?? 0n };
  const refused = exceedsToken(exposure, { limits, scope, used: { ...used, today } });
  if (refused) throw limitError(refused);
}
