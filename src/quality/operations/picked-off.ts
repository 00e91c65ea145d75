import { divideWhole, ONE, roundMoney, text } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { HOUR, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { SIDES } from "../../model/market.ts";
import { type MeasuredFill, pickedOffFlow } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/store.ts";

/** Maximum number of fills of an hour that are read; of more, the newest. */
const MAX_FILLS_PER_HOUR = 1000;
/** Requests that the rest of a check can need. */
const REQUESTS_FOR_REST = 8;

interface HourNotice {
  readonly strategy: string;
  readonly message: string;
}

/** Returns a notice for each side of a running strategy that was picked off in the hour before a time. */
export async function pickedOff(
  { store, marketTime, requests }: Pick<Deps, "store" | "marketTime" | "requests">,
  running: readonly StrategyView[],
  until: Millis,
): Promise<readonly HourNotice[]> {
  const notices: HourNotice[] = [];
  for (const { strategy } of running) {
    if (requests && requests() < REQUESTS_FOR_REST) return notices;
    const account = parseAccountKey(strategy.account);
    const [from, to] = [marketTime(account, until - HOUR), marketTime(account, until)];
    const fills = await store.measuredFillsOf(strategy.id, { limit: MAX_FILLS_PER_HOUR, before: { at: to } });
    const ofHour = fills.filter(({ at }) => at >= from);
    for (const message of pickedOffMessages(strategy, ofHour))
      notices.push({ strategy: strategy.id, message });
  }
  return notices;
}

/** Returns a message for each side whose fills mostly lost money within 10 s, and lost money together. */
export function pickedOffMessages(
  { id, symbol }: Pick<Strategy, "id" | "symbol">,
  fills: readonly MeasuredFill[],
): string[] {
  return SIDES.flatMap((side) => {
    const flow = pickedOffFlow(fills.filter((fill) => fill.side === side && !fill.superseded));
    if (!flow) return [];
    const { known, unknown, toxic, earned } = flow;
    const lost = text(roundMoney(divideWhole(-earned, ONE, "half")));
    const beside = unknown === 0 ? "" : `, and ${unknown} more are unknown`;
    const details = `\`edgemaker quality ${id}\` shows details, and a wider spread loses less`;
    return [
      `${side === "buy" ? "bids" : "asks"} on ${symbol} were picked off in the last hour: ${toxic} of ${known} fills lost money within 10 s, ${lost} ${splitPair(symbol).quote} together${beside}; ${details}`,
    ];
  });
}
