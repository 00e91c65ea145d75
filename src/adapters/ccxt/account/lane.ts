import type { AccountKind } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { privateExchange } from "./private-exchange.ts";

/** An instance that signs one call at a time. */
export interface Lane {
  readonly own: ReturnType<typeof privateExchange>;
  readonly oneByOne: ReturnType<typeof queue>;
  /** The account's kind, as set in the instance. */
  kind?: AccountKind;
}

export function createLanes(
  link: ExchangeLink,
  access: Parameters<typeof privateExchange>[1],
  isPass: boolean,
): { readonly usual: Lane; readonly beside: Lane } {
  const create = (): Lane => ({ own: privateExchange(link, access), oneByOne: queue() });
  const usual = create();
  return { usual, beside: link.quirks.serial || !isPass ? usual : create() };
}

/** Runs tasks one after another, and continues after failures. */
function queue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
