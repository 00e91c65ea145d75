import type { Ccxt, CcxtClass } from "./ccxt.ts";

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
  defineRestApi(api: object, methodName: string, paths?: string[]): void;
  defineRestApiEndpoint(...endpoint: Endpoint): void;
}

type Config = Readonly<Record<string, unknown>>;
type Class = new (config: Config) => Defining;

const made = new WeakMap<CcxtClass, (config: Config) => Ccxt>();

/**
 * Makes instances of one of ccxt's classes for a tenth of what its constructor takes: an instance lives for one
 * request, and making it was most of what a pass cost.
 */
export function light(Exchange: CcxtClass): (config: Config) => Ccxt {
  const known = made.get(Exchange);
  if (known) return known;
  const Light = withEndpoints(Exchange as unknown as Class);
  function Building() {}
  Building.prototype = withoutNames(Light.prototype);
  const make = (config: Config): Ccxt =>
    Object.setPrototypeOf(Reflect.construct(Light, [config], Building), Light.prototype);
  made.set(Exchange, make);
  return make;
}

/**
 * The same methods, of which nothing tells the names. ccxt's constructor walks all prototypes to give each instance
 * every method once more under a name with underscores, thousands of them; nothing calls one by such a name.
 */
const withoutNames = (methods: object): object =>
  new Proxy(methods, { ownKeys: () => [], getPrototypeOf: () => null });

/** The class with its endpoints as methods: ccxt gives each instance a closure for each of hundreds, twice. */
function withEndpoints(Base: Class): Class {
  let isDefined = false;
  class Light extends Base {
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
