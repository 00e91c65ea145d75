import { dayOf } from "../../kernel/time.ts";
import { dateOf } from "../../model/limits.ts";
import type { LiquidityAnswer } from "../schema.ts";
import type { PairStatus, StatusContent } from "../status-page.tsx";
import type { LiquidityDeps } from "../store/store.ts";
import { liquidityOperation, promisedPairs } from "./report.ts";

/** Number of days on the status page, with today. */
const STATUS_DAYS = 90;

/** Reads the sampled pairs for a status page, each once. Nothing of orders, balances or keys is in it. */
export async function readStatusContent(
  deps: LiquidityDeps,
  shown: Pick<StatusContent, "maker" | "hasAmounts">,
): Promise<StatusContent> {
  const madeAt = await deps.store.now();
  const today = dayOf(madeAt);
  const proofs = deps.liquidity?.proofs;
  const { run } = liquidityOperation(deps.exchanges.map(({ id }) => id));
  const report = (pair: object, from: number) =>
    run(
      deps,
      { ...pair, from: dateOf(from), to: dateOf(today), cost: false, details: false },
      { actor: "local" },
    ) as Promise<LiquidityAnswer>;
  const pairs = new Map<string, PairStatus>();
  let publicKey: string | null = null;
  for (const { exchange, symbol } of await promisedPairs(deps, today)) {
    const [pair, place] = [{ exchange, symbol }, `${exchange}:${symbol}`];
    if (pairs.has(place)) continue;
    const signed = await proofs?.newest(pair);
    publicKey ??= signed?.publicKey ?? null;
    const [whole, ofToday] = [await report(pair, today - STATUS_DAYS + 1), await report(pair, today)];
    pairs.set(place, { whole, today: ofToday, signedDay: signed ? dateOf(signed.day) : null });
  }
  return { ...shown, madeAt, pairs: [...pairs.values()], publicKey };
}
