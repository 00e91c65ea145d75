import { type Ccxt, type CcxtClass, isDict } from "./ccxt.ts";

type Endpoint = [
  methodName: string,
  uppercase: string,
  lowercase: string,
  camelcase: string,
  path: string,
  paths: string[],
  config?: object,
];

/** What ccxt's base class calls while it builds an instance. */
interface Defining {
  afterConstruct(): void;
  defineRestApi(api: object, methodName: string, paths?: string[]): void;
  defineRestApiEndpoint(...endpoint: Endpoint): void;
}

type CcxtConfig = Readonly<Record<string, unknown>>;
type Class = new (config: CcxtConfig) => Defining;

/** By what they have in common, as text. */
const made = new WeakMap<CcxtClass, Map<string, (config: CcxtConfig) => Ccxt>>();

/**
 * Makes instances of one of ccxt's classes, with `common` in all of them, for a hundredth of what its constructor takes:
 * an instance lives for one request, and making it was most of what a pass cost. The constructor runs once,
 * without keys; an instance inherits what it has made, and has its own copy of a part from when it first asks for it.
 */
export function light(Exchange: CcxtClass, common: CcxtConfig): (config: CcxtConfig) => Ccxt {
  const makers = made.get(Exchange) ?? new Map<string, (config: CcxtConfig) => Ccxt>();
  // JSON has no functions, and by one of them amounts are text.
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

/** ccxt gives an instance each of its methods once more under a name with underscores, thousands of them; nothing calls those. */
const isNoSecondName = ([name, value]: readonly [string, unknown]): boolean =>
  typeof value !== "function" || !name.includes("_");

/** What instances inherit: each has its own copy of what could be written into. */
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

/** Made for whoever asks, and the asker's own from then on. */
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

/** Down to what is no plain object or list: nothing that one instance writes is another's. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isDict(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]));
}

/** The class with its endpoints as methods: ccxt gives each instance a closure for each of hundreds, twice. */
function withEndpoints(Base: Class): Class {
  let isDefined = false;
  class Light extends Base {
    /** A rate limiter, tables of networks and of what others call: nothing of ours asks them. */
    override afterConstruct(): void {}

    override defineRestApi(api: object, methodName: string, paths: string[] = []): void {
      if (isDefined) return;
      super.defineRestApi(api, methodName, paths);
      if (paths.length === 0) isDefined = true;
    }

    override defineRestApiEndpoint(...endpoint: Endpoint): void {
      const [methodName, uppercase, , , path, paths, config = {}] = endpoint;
      const type = paths.length > 1 ? paths : paths[0];
      // ccxt's own code says how the methods are named.
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
