import { decimal } from "../../src/kernel/decimal.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import { accountKey } from "../../src/model/account.ts";
import { NEW_STRATEGY_STATE } from "../../src/model/strategy.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Deed } from "../simulation/deeds.ts";
import { BY } from "../support/by.ts";
import { type Books, NO_BOOKS } from "./books.ts";
import { type FollowConfig, followKind } from "./follow.ts";

const AMOUNT = decimal("0.5");

const FIRST: Books = {
  ...NEW_STRATEGY_STATE,
  slots: [{ index: 0, retryAt: 0 }],
  ledger: { moved: {} },
  ...NO_BOOKS,
};

/** What a person asks of a grid, asked of one that follows the bid: its kind has no operations of its own. */
export async function actOnFollow(deps: Deps, exchange: string, deed: Deed, id?: string): Promise<void> {
  const { store } = deps;
  if (deed.kind === "start" || deed.kind === "start_centered") {
    const { base, quote } = splitPair(deed.symbol);
    const { account } = deps.venue(exchange);
    const config: FollowConfig = { amount: AMOUNT };
    await store.createStrategy(
      {
        kind: followKind.name,
        version: followKind.version,
        config,
        state: FIRST,
        wants: "run",
        keepOrders: false,
        sellBase: false,
        status: "running",
        phase: "starting",
        lastError: null,
        stoppedAt: null,
        prefix: `follow-${exchange}-${base}-${quote}`,
        account: accountKey(account),
        symbol: deed.symbol,
        startedAt: await store.now(),
        request: null,
      },
      BY,
    );
  }
  if (id === undefined) return;
  if (deed.kind === "stop")
    await store.setWants(id, "stop", { keepOrders: deed.keep, sellBase: deed.sell ?? false }, BY);
  if (deed.kind === "pause" || deed.kind === "run")
    await store.setPaused(id, deed.kind === "pause" ? { keepOrders: false } : null, BY);
}
