import { MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Market } from "../../../model/market.ts";
import type { Local, Log } from "../../../ports/local.ts";
import type { Keys, Timing } from "../../../ports/venue.ts";
import { askingBy } from "../client/asking.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import type { Pause } from "../client/circuit.ts";
import { type ClockCheck, clockCheck } from "../client/clock-check.ts";
import { giveMarkets } from "../client/give-markets.ts";
import type { FeeRates, Keeping, KnownKind } from "../client/keeping.ts";
import { light } from "../client/light.ts";
import type { AccountLine } from "../client/line.ts";
import type { PublicBudget } from "../client/public-budget.ts";
import type { PrivateRate, Quirks } from "../client/quirks.ts";
import { type SharedReads, sharedReads } from "../client/shared-reads.ts";
import { type Fetch, transport, type Wire } from "../client/transport.ts";
import { type Catalog, createCatalog } from "../exchanges/catalog.ts";

/** The runtime's own parts that the adapter uses. */
export interface LinkRuntime {
  readonly keeping: Keeping;
  readonly local: Local;
  readonly log: Log;
  readonly fetch: Fetch;
  /** This machine's own clock. */
  readonly clock: () => Millis;
}

/** The fee asset of each account's buys, with the time at which newer fills are read. */
export type BuyFees = Map<AccountKey, { readonly asset: Market["buyFeeIn"]; readonly until: Millis }>;

/** What leads to one configured exchange in this process, and what all its venues share. None of it belongs to a key. */
export interface ExchangeLink extends LinkRuntime {
  readonly id: string;
  readonly quirks: Quirks;
  readonly base: string;
  readonly host: string;
  readonly timing: Timing;
  /** Undefined where nobody counts. */
  readonly rate: PrivateRate | undefined;
  readonly catalog: Catalog;
  /** One for each of those whose questions and failures are to touch nobody else's. */
  readonly reads: Readonly<Record<Asker, SharedReads>>;
  /** Of what strangers have asked. */
  readonly budget: PublicBudget | undefined;
  /** Of this machine's clock, which calls outside of a pass go by. */
  readonly check: ClockCheck;
  readonly fees: Map<string, { readonly rates: FeeRates | undefined; readonly until: Millis }>;
  /** When it was asked, by this process's own clock. */
  readonly kinds: Map<AccountKey, KnownKind & { readonly at: Millis }>;
  readonly buyFees: BuyFees;
  /** The keyless instance, with this market among those that it knows. */
  publicly(market: Dict): Promise<Ccxt>;
  /** Of each account whose private calls go one at a time and that has some under way. */
  readonly lines: Map<AccountKey, AccountLine>;
}

/** A pass over an account, a person with a token or the command line, and whoever else. */
export type Asker = "step" | "own" | "anyone";

/** A stop price is watched again as soon as the exchange answers; others can wait. */
const STEP_PAUSE: Pause = { first: 5 * SECOND, most: 10 * SECOND };
const CIRCUIT_PAUSE: Pause = { first: 5 * SECOND, most: MINUTE };

type LinkGiven = Pick<ExchangeLink, keyof LinkRuntime | "id" | "quirks" | "base" | "timing" | "rate"> & {
  readonly budget?: PublicBudget | undefined;
  readonly buyFees?: BuyFees | undefined;
  readonly keptFor?: Millis;
};

/** Of the keyless instance: it has no secret, so it serves whoever asks in this process. */
const MOST_MARKETS = 500;

export function createLink(given: LinkGiven): ExchangeLink {
  const { quirks, base, keeping, local, log, keptFor } = given;
  const host = new URL(base).host;
  const check = clockCheck(quirks.name, given.timing.skew, given.clock);
  const keyless = () => createExchange({ ...given, onDate: check.answered });
  let shared: Promise<Ccxt> | undefined;
  const markets = new Map<unknown, Dict>();
  const sharing = { name: quirks.name, local, keptFor };
  return {
    ...given,
    host,
    catalog: createCatalog({
      quirks,
      host,
      keeper: keeping.markets,
      local,
      log,
      budget: given.budget,
      exchange: keyless,
    }),
    reads: {
      step: sharedReads({ ...sharing, pause: STEP_PAUSE }),
      own: sharedReads({ ...sharing, pause: CIRCUIT_PAUSE }),
      anyone: sharedReads({ ...sharing, pause: CIRCUIT_PAUSE, budget: given.budget }),
    },
    budget: given.budget,
    check,
    fees: new Map(),
    buyFees: given.buyFees ?? new Map(),
    kinds: new Map(),
    lines: new Map(),
    async publicly(market) {
      shared ??= keyless();
      const exchange = await shared;
      if (markets.get(market.symbol) === market) return exchange;
      if (markets.size >= MOST_MARKETS) markets.clear();
      markets.set(market.symbol, market);
      const all = [...markets.values()];
      giveMarkets(exchange, all);
      quirks.withMarkets?.(exchange, all);
      return exchange;
    },
  };
}

export interface Wiring {
  readonly quirks: Quirks;
  readonly base: string;
  readonly timing: Timing;
  readonly fetch: Fetch;
  readonly clock: () => Millis;
  readonly keys?: Keys | undefined;
  readonly paid?: Wire["paid"];
  readonly mayLeave?: () => boolean;
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly onDate?: Wire["onDate"];
}

/** A new instance of the exchange's class: made for one invocation, never shared with a key in it. */
export async function createExchange(wiring: Wiring): Promise<Ccxt> {
  const { quirks, base, timing, fetch, clock, keys } = wiring;
  const make = light(await quirks.load(), { number: String, options: quirks.options });
  const send = transport({
    quirks,
    base,
    fetch,
    timeoutMillis: timing.requestTimeout,
    clock,
    paid: wiring.paid ?? (async () => undefined),
    mayLeave: wiring.mayLeave ?? (() => true),
    headers: wiring.headers ?? (() => ({})),
    onDate: wiring.onDate ?? (() => undefined),
    secrets: keys ? [keys.key, keys.secret, keys.passphrase ?? ""] : [],
  });
  const exchange = make({
    request: askingBy(send),
    ...(keys ? { apiKey: keys.key, secret: keys.secret, password: keys.passphrase } : {}),
  });
  exchange.milliseconds = clock;
  return exchange;
}
