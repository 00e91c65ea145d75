import { VenueError } from "../../../kernel/errors.ts";
import { isPair, type Pair } from "../../../kernel/pair.ts";
import { prefixOf } from "../../../kernel/plain-text.ts";
import { MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Market } from "../../../model/market.ts";
import type { Keys, Timing } from "../../../ports/venue.ts";
import type { Local, Log } from "../../../ports/within-time.ts";
import { MAX_MARKET_LIST_BYTES } from "../../bounded-text.ts";
import { type Catalog, createCatalog } from "../client/catalog.ts";
import {
  type AdapterStore,
  type Ccxt,
  type CcxtClass,
  type Dict,
  type FeeRates,
  isDict,
  type KnownKind,
} from "../client/ccxt.ts";
import type { PrivateRate, Quirks } from "../client/quirks.ts";
import { type Pause, type PublicBudget, type SharedReads, sharedReads } from "../client/shared-reads.ts";
import {
  type AccountLine,
  type ClockCheck,
  clockCheck,
  type Fetch,
  type Send,
  transport,
  type Wire,
} from "../client/transport.ts";

/** Platform functions that the adapter uses. */
interface LinkRuntime {
  readonly keeping: AdapterStore;
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
  readonly reads: Readonly<Record<CallerKind, SharedReads>>;
  /** Rate limit of requests without a token. */
  readonly budget: PublicBudget | undefined;
  /** Check of this machine's clock, for calls outside of a pass. */
  readonly check: ClockCheck;
  readonly fees: Map<string, { readonly rates: FeeRates | "unread"; readonly until: Millis }>;
  /** When it was read, by this process's clock. */
  readonly kinds: Map<AccountKey, KnownKind & { readonly at: Millis }>;
  readonly buyFees: BuyFees;
  /** Returns the instance without keys, after loading this market into it. */
  publicly(market: Dict): Promise<Ccxt>;
  /** Queues of accounts whose private calls must be serial, while calls are running. */
  readonly lines: Map<AccountKey, AccountLine>;
}

/** A pass over an account, a person with a token or the command line, and everybody else. */
export type CallerKind = "step" | "own" | "anyone";

/** Short pauses for passes, because a stop price must be watched again as soon as the exchange responds. */
const PASS_RATE_PAUSE: Pause = { first: 5 * SECOND, max: 10 * SECOND };
const CIRCUIT_PAUSE: Pause = { first: 5 * SECOND, max: MINUTE };

type LinkGiven = Pick<ExchangeLink, keyof LinkRuntime | "id" | "quirks" | "base" | "timing" | "rate"> & {
  readonly budget?: PublicBudget | undefined;
  readonly buyFees?: BuyFees | undefined;
  readonly keptFor?: Millis;
};

/** Maximum number of markets in the instance without keys, which serves every caller in this process. */
const MAX_CACHED_MARKETS = 500;

export function createLink(given: LinkGiven): ExchangeLink {
  const { quirks, base, keeping, local, log, keptFor } = given;
  const host = new URL(base).host;
  const check = clockCheck(quirks.name, given.timing.skew, given.clock);
  const keyless = (maxBytes?: number) => createExchange({ ...given, maxBytes, onDate: check.answered });
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
      exchange: () => keyless(MAX_MARKET_LIST_BYTES),
    }),
    reads: {
      step: sharedReads({ ...sharing, pause: PASS_RATE_PAUSE }),
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
      if (markets.size >= MAX_CACHED_MARKETS) markets.clear();
      markets.set(market.symbol, market);
      const all = [...markets.values()];
      exchange.setMarkets(all);
      quirks.withMarkets?.(exchange, all);
      return exchange;
    },
  };
}

interface Wiring {
  readonly quirks: Quirks;
  readonly base: string;
  readonly timing: Timing;
  readonly fetch: Fetch;
  readonly clock: () => Millis;
  readonly keys?: Keys | undefined;
  readonly paid?: Wire["paid"];
  readonly mayLeave?: () => boolean;
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly maxBytes?: Wire["maxBytes"];
  readonly onDate?: Wire["onDate"];
}

/** Maximum number of decimals of a market's steps: ccxt would fill the memory with the zeros of 1e30 decimals. */
const MAX_DIGITS = 40;

/** Creates an instance of the exchange's class for one invocation; an instance with a key is never shared. */
async function createExchange(wiring: Wiring): Promise<Ccxt> {
  const { quirks, base, timing, fetch, clock, keys, maxBytes } = wiring;
  const make = lightInstances(await quirks.load(), { number: String, options: quirks.options });
  const send = transport({
    quirks,
    base,
    fetch,
    timeoutMillis: timing.requestTimeout,
    maxBytes,
    clock,
    paid: wiring.paid ?? (async () => undefined),
    mayLeave: wiring.mayLeave ?? (() => true),
    headers: wiring.headers ?? (() => ({})),
    onDate: wiring.onDate ?? (() => undefined),
    secrets: keys ? [keys.key, keys.secret, keys.passphrase ?? ""] : [],
  });
  const exchange = make({
    request: exchangeCallOf(send),
    ...(keys ? { apiKey: keys.key, secret: keys.secret, password: keys.passphrase } : {}),
  });
  exchange.milliseconds = clock;
  const parsePrecision = exchange.parsePrecision.bind(exchange);
  exchange.parsePrecision = (digits) =>
    Math.abs(Number.parseInt(digits ?? "", 10)) > MAX_DIGITS ? undefined : parsePrecision(digits);
  return exchange;
}

type Endpoint = [
  methodName: string,
  uppercase: string,
  lowercase: string,
  camelcase: string,
  path: string,
  paths: string[],
  config?: object,
];

/** Methods of ccxt's classes that an instance changes: those that it calls while it is created, and its parsers. */
interface Defining {
  parseOrder(row: unknown, market?: unknown): unknown;
  parseTrade(row: unknown, market?: unknown): unknown;
  parseOHLCV(row: unknown, market?: unknown): unknown;
  parseTicker(row: unknown, market?: unknown): unknown;
  afterConstruct(): void;
  defineRestApi(api: object, methodName: string, paths?: string[]): void;
  defineRestApiEndpoint(...endpoint: Endpoint): void;
}

type CcxtConfig = Readonly<Record<string, unknown>>;
type Class = new (config: CcxtConfig) => Defining;

/** Created templates by their common settings as text. */
const made = new WeakMap<CcxtClass, Map<string, (config: CcxtConfig) => Ccxt>>();

/**
 * Creates instances of a ccxt class with `common` settings, in a hundredth of the constructor's time: an instance
 * lives for one request, and creating it was most of a pass's cost. The constructor runs once, without keys; an
 * instance inherits its results, and copies a part on first use.
 */
export function lightInstances(Exchange: CcxtClass, common: CcxtConfig): (config: CcxtConfig) => Ccxt {
  const makers = made.get(Exchange) ?? new Map<string, (config: CcxtConfig) => Ccxt>();
  // JSON has no functions, and one of them makes amounts text.
  const request = JSON.stringify(common, (_, value) => (typeof value === "function" ? String(value) : value));
  const known = makers.get(request);
  if (known) return known;
  const Light = withEndpoints(Exchange as unknown as Class);
  const { options, ...parts } = Object.fromEntries(Object.entries(new Light(common)).filter(isNoSecondName));
  const patternOfOptions = patternOf(options ?? {}, Object.prototype);
  const pattern = Object.defineProperty(
    patternOf(parts, Light.prototype),
    "options",
    ownFrom("options", () => Object.create(patternOfOptions)),
  );
  const make = (config: CcxtConfig): Ccxt => Object.assign(Object.create(pattern), config);
  made.set(Exchange, makers.set(request, make));
  return make;
}

/** Filters ccxt's thousands of duplicate methods with underscores in their names; nothing calls them. */
const isNoSecondName = ([name, value]: readonly [string, unknown]): boolean =>
  typeof value !== "function" || !name.includes("_");

/** Returns the prototype of instances: each instance copies parts that could be modified. */
function patternOf(parts: object, prototype: object): object {
  const pattern: object = Object.create(prototype);
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(
      pattern,
      name,
      typeof value === "object" && value !== null ? ownFrom(name, () => copyOf(value)) : valued(value),
    );
  return pattern;
}

const valued = (value: unknown) => ({ value, configurable: true, enumerable: true, writable: true });

/** Defines a property that is created on first read, separately for each instance. */
const ownFrom = (name: string, make: () => unknown): PropertyDescriptor => ({
  configurable: true,
  enumerable: true,
  get(this: object) {
    const own = make();
    Object.defineProperty(this, name, valued(own));
    return own;
  },
  set(this: object, given: unknown) {
    Object.defineProperty(this, name, valued(given));
  },
});

/** Copies plain objects and lists deeply, so instances do not share modifiable data. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isDict(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
}

/**
 * Parses a row; if ccxt cannot, without the one field that it cannot read, because it also calculates with fields that
 * we do not need. Returns `otherwise` if no field is the only one.
 */
function parseLeniently(row: unknown, parse: (row: unknown) => unknown, otherwise: unknown): unknown {
  try {
    return parse(row);
  } catch {}
  // Texts first: without a number that is right, ccxt does not calculate with the one that is wrong.
  for (const isNumeric of [false, true])
    for (const part of withoutOneField(row, isNumeric)) {
      try {
        return parse(part);
      } catch {}
    }
  return otherwise;
}

/** Returns a row without each of its numbers, or of its other values, in turn, also those of its objects and lists. */
function* withoutOneField(row: unknown, isNumeric: boolean): Generator<unknown> {
  if (typeof row !== "object" || row === null) return;
  for (const [name, value] of Object.entries(row)) {
    const isNested = typeof value === "object" && value !== null;
    if (!isNested && Number.isFinite(Number(value ?? Number.NaN)) !== isNumeric) continue;
    const parts = isNested ? withoutOneField(value, isNumeric) : [undefined];
    for (const part of parts) yield Object.assign(copyOf(row) as object, { [name]: part });
  }
}

/** Returns the class with its endpoints as methods; ccxt would create hundreds of closures twice for each instance. */
function withEndpoints(Base: Class): Class {
  let isDefined = false;
  class Light extends Base {
    /** Skips a rate limiter and tables that our code does not use. */
    override afterConstruct(): void {}

    // A row that ccxt cannot read stays as the exchange returned it, so the other rows of its list work.
    override parseOrder(row: unknown, market?: unknown): unknown {
      return parseLeniently(row, (some) => super.parseOrder(some, market), { info: row });
    }

    override parseTrade(row: unknown, market?: unknown): unknown {
      return parseLeniently(row, (some) => super.parseTrade(some, market), { info: row });
    }

    override parseTicker(row: unknown, market?: unknown): unknown {
      return parseLeniently(row, (some) => super.parseTicker(some, market), {});
    }

    override parseOHLCV(row: unknown, market?: unknown): unknown {
      return parseLeniently(row, (some) => super.parseOHLCV(some, market), []);
    }

    /** ccxt would drop rows whose pair it cannot read, as if they did not exist. */
    filterBySymbolSinceLimit(rows: unknown): unknown {
      return rows;
    }

    override defineRestApi(api: object, methodName: string, paths: string[] = []): void {
      if (isDefined) return;
      super.defineRestApi(api, methodName, paths);
      if (paths.length === 0) isDefined = true;
    }

    override defineRestApiEndpoint(...endpoint: Endpoint): void {
      const [methodName, uppercase, , , path, paths, config = {}] = endpoint;
      const type = paths.length > 1 ? paths : paths[0];
      // ccxt's own code determines the names of the methods.
      const names: object = Object.create(this);
      super.defineRestApiEndpoint.call(names, ...endpoint);
      for (const name of Object.keys(names)) {
        Object.defineProperty(Light.prototype, name, {
          configurable: true,
          writable: true,
          value(this: Record<string, (...args: unknown[]) => unknown>, params = {}, context = {}) {
            return this[methodName]?.(path, type, uppercase, params, undefined, undefined, config, context);
          },
        });
      }
    }
  }
  return Light;
}

/**
 * Replaces ccxt's request function, which has its own rate limit, proxies, timeout and retries. It sends ccxt's user
 * agent, as ccxt does on Node.
 */
const exchangeCallOf = (send: Send) =>
  async function request(
    this: Ccxt,
    path: string,
    api: string | readonly string[],
    verb: string,
    params: Dict,
  ): Promise<unknown> {
    const { url, method, headers, body } = this.sign(path, api, verb, params);
    const { text } = await send({
      url,
      method,
      headers: { "User-Agent": "edgemaker", ...this.headers, ...headers },
      body,
    });
    const result = this.parseJson(text);
    return result || text;
  };

/** Settings of the next request; calls of one instance are serial, so there is only one. */
interface NextRequest {
  paid: () => Promise<void>;
  mayLeave: () => boolean;
  headers: Readonly<Record<string, string>>;
}

interface PrivateAccess {
  readonly keys: () => Promise<Keys | undefined>;
  readonly now: () => Millis;
  readonly nonce: () => number;
  readonly check: ClockCheck;
}

/** Returns an instance that signs, created on first use. */
export function privateExchange(link: ExchangeLink, { keys, now, nonce, check }: PrivateAccess) {
  const { quirks, catalog } = link;
  const next: NextRequest = { paid: async () => undefined, mayLeave: () => true, headers: {} };
  const markets = new Map<Pair, Dict>();
  let made: Promise<Ccxt> | undefined;

  async function make(): Promise<Ccxt> {
    const exchange = await createExchange({
      ...link,
      clock: now,
      keys: usable(link, await keys()),
      paid: () => next.paid(),
      mayLeave: () => next.mayLeave(),
      headers: () => next.headers,
      onDate: check.answered,
    });
    exchange.setMarkets([]);
    if (quirks.serial) exchange.nonce = nonce;
    return exchange;
  }

  return {
    next,
    /** Returns the instance after loading this pair's market. */
    async with(symbol: Pair | undefined): Promise<Ccxt> {
      made ??= make();
      const exchange = await made;
      if (symbol === undefined || markets.has(symbol)) return exchange;
      markets.set(symbol, isPair(symbol) ? await catalog.known(symbol) : unlistedMarket(symbol));
      const all = [...markets.values()];
      exchange.setMarkets(all);
      quirks.withMarkets?.(exchange, all);
      return exchange;
    },
  };
}

/** Returns a market that the list lacks, by the exchange's own name of it: enough to cancel an order on it. */
const unlistedMarket = (id: string): Dict => ({
  id,
  symbol: id,
  type: "spot",
  spot: true,
  contract: false,
  precision: {},
  limits: {},
  info: {},
});

/** Error for missing keys; it explains where edgemaker looks for them. */
export function noKeys(id: string): VenueError {
  const name = prefixOf(id);
  return new VenueError(
    "missing_credentials",
    `there are no keys for ${id}; set ${name}_API_KEY and ${name}_SECRET, or store them with edgemaker exchange add ${id}`,
  );
}

function usable({ id, quirks }: ExchangeLink, keys: Keys | undefined): Keys {
  if (!keys) throw noKeys(id);
  if (quirks.passphrase && !keys.passphrase)
    throw new VenueError("missing_credentials", `keys of ${quirks.name} need their passphrase too`);
  return keys;
}
