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

/** Methods that ccxt's base class calls while it creates an instance. */
interface Defining {
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
export function light(Exchange: CcxtClass, common: CcxtConfig): (config: CcxtConfig) => Ccxt {
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

/** Returns the class with its endpoints as methods; ccxt would create hundreds of closures twice for each instance. */
function withEndpoints(Base: Class): Class {
  let isDefined = false;
  class Light extends Base {
    /** Skips a rate limiter and tables that our code does not use. */
    override afterConstruct(): void {}

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
