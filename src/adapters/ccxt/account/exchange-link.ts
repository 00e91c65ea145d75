import { MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Market } from "../../../model/market.ts";
import type { Local, Log } from "../../../ports/local.ts";
import type { Keys, Timing } from "../../../ports/venue.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import type { Pause } from "../client/circuit.ts";
import { type ClockCheck, clockCheck } from "../client/clock-check.ts";
import type { FeeRates, Keeping, KnownKind } from "../client/keeping.ts";
import { light } from "../client/light.ts";
import type { AccountLine } from "../client/line.ts";
import type { PublicBudget } from "../client/public-budget.ts";
import type { PrivateRate, Quirks } from "../client/quirks.ts";
import { askingBy } from "../client/sending.ts";
import { type SharedReads, sharedReads } from "../client/shared-reads.ts";
import { type Fetch, transport, type Wire } from "../client/transport.ts";
import { type Catalog, createCatalog } from "../exchanges/catalog.ts";

/** Platform functions that the adapter uses. */
export interface LinkRuntime {
  readonly keeping: Keeping;
  readonly local: Local;
  readonly log: Log;
  readonly fetch: Fetch;
  /** This machine's clock. */
  readonly clock: () => Millis;
}

/** Fee asset of each account's buys, with the time at which newer fills are read. */
export type BuyFees = Map<AccountKey, { readonly asset: Market["buyFeeIn"]; readonly until: Millis }>;

/** Access to one configured exchange in this process, shared by all its venues. It contains nothing of a key. */
export interface ExchangeLink extends LinkRuntime {
  readonly id: string;
  readonly quirks: Quirks;
  readonly base: string;
  readonly host: string;
  readonly timing: Timing;
  /** Undefined without a rate limit. */
  readonly rate: PrivateRate | undefined;
  readonly catalog: Catalog;
  /** Separate reads for each type of caller, so their requests and failures do not affect each other. */
  readonly reads: Readonly<Record<Asker, SharedReads>>;
  /** Rate limit of requests without a token. */
  readonly budget: PublicBudget | undefined;
  /** Check of this machine's clock, for calls outside of a pass. */
  readonly check: ClockCheck;
  readonly fees: Map<string, { readonly rates: FeeRates | undefined; readonly until: Millis }>;
  /** When it was read, by this process's clock. */
  readonly kinds: Map<AccountKey, KnownKind & { readonly at: Millis }>;
  readonly buyFees: BuyFees;
  /** Returns the instance without keys, after loading this market into it. */
  publicly(market: Dict): Promise<Ccxt>;
  /** Queues of accounts whose private calls must be serial, while calls are running. */
  readonly lines: Map<AccountKey, AccountLine>;
}

/** A pass over an account, a person with a token or the command line, and everybody else. */
export type Asker = "step" | "own" | "anyone";

/** Short pauses for passes, because a stop price must be watched again as soon as the exchange responds. */
const STEP_PAUSE: Pause = { first: 5 * SECOND, most: 10 * SECOND };
const CIRCUIT_PAUSE: Pause = { first: 5 * SECOND, most: MINUTE };

type LinkGiven = Pick<ExchangeLink, keyof LinkRuntime | "id" | "quirks" | "base" | "timing" | "rate"> & {
  readonly budget?: PublicBudget | undefined;
  readonly buyFees?: BuyFees | undefined;
  readonly keptFor?: Millis;
};

/** Maximum number of markets in the instance without keys, which serves every caller in this process. */
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
      exchange.setMarkets(all);
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

/** Creates an instance of the exchange's class for one invocation; an instance with a key is never shared. */
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
