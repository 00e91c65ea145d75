import type { Ccxt } from "./ccxt.ts";

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

// biome-ignore lint/suspicious/noExplicitAny: a mixin's constructor takes whatever the class takes.
type Class = new (...args: any[]) => Ccxt;

const made = new WeakMap<Class, Class>();

/**
 * The class with its endpoints as methods. ccxt gives each instance a closure for each of an exchange's
 * hundreds of endpoints, twice; an instance lives for one request, and that was most of what it cost.
 */
export function light<C extends Class>(Exchange: C): C {
  const known = made.get(Exchange);
  if (known) return known as C;
  const Base = Exchange as unknown as new (...args: unknown[]) => Defining;
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
  made.set(Exchange, Light as unknown as Class);
  return Light as unknown as C;
}
