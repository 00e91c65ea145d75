import { splitPair } from "../kernel/pair.ts";
import { parseAccountKey } from "../model/account.ts";
import type { Limits } from "../model/limits.ts";
import type { Strategy } from "../model/strategy.ts";
import { EVERY_SCOPE, scopeOfExchange } from "./standing.ts";

const LOSSES = ["strategyLoss", "accountLoss"] as const;

/** Describes each loss limit of a scope in an asset that no running strategy has as its quote asset, such as a typo. */
export function unusedLosses(
  { scope, limits }: { readonly scope: string; readonly limits: Limits },
  running: readonly Pick<Strategy, "account" | "symbol">[],
): string[] {
  const inScope = running.filter(
    ({ account }) => scope === EVERY_SCOPE || scope === scopeOfExchange(parseAccountKey(account).exchange),
  );
  const used = new Set(inScope.map(({ symbol }) => splitPair(symbol).quote));
  const where = scope === EVERY_SCOPE ? "" : ` on ${scope.replace("account:", "")}`;
  return LOSSES.flatMap((name) =>
    Object.keys(limits[name] ?? {})
      .filter((asset) => !used.has(asset))
      .map(
        (asset) =>
          `${name} in ${asset} limits nothing now${where}: no running strategy has this quote asset; check its spelling`,
      ),
  );
}
