import type { Pair } from "../../../kernel/pair.ts";
import type { Ccxt } from "../client/ccxt.ts";
import type { AccountKind } from "../client/keeping.ts";
import type { PrivateCall } from "../client/quirks.ts";
import { CallFailed } from "../client/refusals.ts";
import type { accountKindReader } from "./account-kind.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import type { Lane } from "./lane.ts";
import type { inLeaseTurn } from "./lease-turn.ts";
import type { spender } from "./spending.ts";

/** Number of signings. An invalid nonce is a definite rejection, so signing again cannot place an order twice. */
const SIGNINGS = 3;

interface SignerParts {
  readonly spend: ReturnType<typeof spender>;
  readonly turn: ReturnType<typeof inLeaseTurn>;
  readonly kinds: ReturnType<typeof accountKindReader>;
}

export type CallSigner = ReturnType<typeof createSigner>;

/** Signs the calls of one invocation in the form that the account's kind requires. */
export function createSigner({ quirks }: ExchangeLink, { spend, turn, kinds }: SignerParts) {
  let accountKind: AccountKind | undefined;

  /** Signs again after a late nonce; never repeats anything else. */
  async function signed<T>(kind: PrivateCall, call: () => Promise<T>): Promise<T> {
    for (let signing = 1; ; signing++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        if (error.failure.failure === "rate_limited") await spend.exhausted(kind);
        if (!error.failure.nonce || signing === SIGNINGS) throw error;
        await turn.renew();
      }
    }
  }

  /** Returns the lane's instance after setting the account's kind. */
  async function ready(lane: Lane, symbol: Pair | undefined): Promise<Ccxt> {
    const exchange = await lane.own.with(symbol);
    if (!quirks.kinds || (accountKind && lane.kind === accountKind)) return exchange;
    settle(lane, exchange, accountKind ?? (await kinds.settled(() => askKind(lane, exchange))));
    return exchange;
  }

  function settle(lane: Lane, exchange: Ccxt, found: AccountKind) {
    accountKind = lane.kind = found;
    quirks.kinds?.set(exchange, found);
  }

  async function askKind({ own }: Lane, exchange: Ccxt): Promise<AccountKind> {
    const paid = await spend.take("kind");
    Object.assign(own.next, { paid, mayLeave: () => true, headers: {} });
    return signed("kind", () => kinds.ask(exchange));
  }

  /** Repeats a call in the other form if the exchange rejected it, without effect, because of the account's kind. */
  async function ofItsKind<T>(lane: Lane, exchange: Ccxt, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallFailed && error.failure.otherKind)) throw error;
      const before = lane.kind;
      settle(lane, exchange, await askKind(lane, exchange));
      if (lane.kind === before) throw error;
      return call();
    }
  }

  return { kind: () => accountKind, signed, ready, ofItsKind };
}
