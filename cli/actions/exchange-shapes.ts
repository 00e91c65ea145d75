/** Compares public responses of the exchanges with the fields and types that edgemaker was tested with. */
import { boundedText, MAX_MARKET_LIST_BYTES } from "../../src/adapters/bounded-text.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import tested from "./exchange-shapes.json" with { type: "json" };

export type Finding = "ok" | "note" | "bad";

/** Result of one check of `doctor`. */
export interface Check {
  readonly check: string;
  readonly finding: Finding;
  readonly detail: string;
}

/** Types of each field, by its path: `[]` is an item of a list, `*` a field whose name is a market's or an asset's. */
export type ResponseShape = Readonly<Record<string, string>>;

interface KnownCall {
  /** Date on which the shape was last checked, as YYYY-MM-DD, and what it was checked against. */
  readonly checked: string;
  readonly source: string;
  readonly fields: ResponseShape;
}

/** Shapes of public calls, by their path and query. */
export type ExchangeShapes = Readonly<
  Record<VenueName, { readonly host: string; readonly calls: Readonly<Record<string, KnownCall>> }>
>;

const SHAPES: ExchangeShapes = tested;

interface ComparedExchange {
  readonly id: string;
  readonly venue: VenueName;
  /** Base URL instead of the exchange's own. */
  readonly address: string | undefined;
}

/** Exit code if a response could not be read. */
const UNREAD = 3;

/** Compares the responses of exchanges. Exit code 1: a field is new, gone or of another type; 3: one cannot be read. */
export async function compareExchanges(
  exchanges: readonly ComparedExchange[],
): Promise<{ readonly checks: readonly Check[]; readonly code: number }> {
  const results = (await Promise.all(exchanges.map(compareExchange))).flat();
  const code = results.some(({ differs }) => differs)
    ? 1
    : results.every(({ isRead }) => isRead)
      ? 0
      : UNREAD;
  return { checks: results.map(({ check }) => check), code };
}

interface ComparedCall {
  readonly check: Check;
  readonly differs: boolean;
  readonly isRead: boolean;
}

/** Makes one call after the other, because exchanges limit calls from an address. */
async function compareExchange({ id, venue, address }: ComparedExchange): Promise<ComparedCall[]> {
  const { host, calls } = SHAPES[venue];
  const base = address ?? `https://${host}`;
  const results: ComparedCall[] = [];
  for (const [path, { checked, fields }] of Object.entries(calls)) {
    const name = `${id} ${path.replace(/\?.*$/, "")}`;
    const found = (finding: Check["finding"], detail: string): ComparedCall => ({
      check: { check: name, finding, detail },
      differs: false,
      isRead: finding === "ok",
    });
    try {
      const differences = shapeDifferences(fields, readShape(await responseOf(base + path), fields));
      results.push(
        differences.length === 0
          ? found("ok", `as checked on ${checked}`)
          : {
              ...found("bad", `${differences.join("; ")} (checked on ${checked})`),
              differs: true,
              isRead: true,
            },
      );
    } catch (error) {
      results.push(found("bad", `not compared, because ${base} could not be read: ${messageOf(error)}`));
    }
  }
  return results;
}

async function responseOf(url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(20 * SECOND);
  const response = await fetch(url, { signal, redirect: "error" });
  if (!response.ok) throw new Error(`its status is ${response.status}`);
  return JSON.parse(await boundedText(response, signal, MAX_MARKET_LIST_BYTES));
}

/** Names of markets and assets, which differ from response to response. */
const MARKET_NAME = /^[A-Z0-9][A-Z0-9._/-]{2,}$/;

/** Returns the types of a response's fields; `known` decides which names are fields and which are markets. */
export function readShape(body: unknown, known: ResponseShape = {}): ResponseShape {
  const paths = Object.keys(known);
  const isKnown = (path: string) =>
    paths.some((one) => one === path || one.startsWith(`${path}.`) || one.startsWith(`${path}[`));
  const types = new Map<string, Set<string>>();
  const fieldPath = (parent: string, name: string): string => {
    const [path, any] = [name, "*"].map((one) => (parent === "" ? one : `${parent}.${one}`)) as [
      string,
      string,
    ];
    return !isKnown(path) && (isKnown(any) || MARKET_NAME.test(name)) ? any : path;
  };
  const visit = (value: unknown, path: string): void => {
    types.set(path, (types.get(path) ?? new Set()).add(typeOf(value)));
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`);
    else if (typeof value === "object" && value !== null)
      for (const [name, part] of Object.entries(value)) visit(part, fieldPath(path, name));
  };
  visit(body, "");
  return Object.fromEntries([...types].map(([path, all]) => [path, [...all].sort().join("|")]));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : typeof value === "string" ? "text" : typeof value;
}

/** Describes which fields are new, gone or of another type, without the fields in them. */
export function shapeDifferences(known: ResponseShape, live: ResponseShape): string[] {
  const lacking = (of: ResponseShape, among: ResponseShape) =>
    Object.keys(of).filter((path) => !(path in among) && parentOf(path) in among);
  // An empty list shows no item, and what is no object any more has no fields.
  const isShown = (path: string) => !path.endsWith("[]") && !!live[parentOf(path)]?.includes("object");
  const changed = Object.entries(live).flatMap(([path, types]) => {
    const before = known[path]?.split("|") ?? [];
    const other = before.length === 0 ? [] : types.split("|").filter((type) => !before.includes(type));
    return other.length === 0
      ? []
      : [`${path || "the response"} (${other.join(" or ")}, was ${before.join(" or ")})`];
  });
  return Object.entries({
    new: lacking(live, known),
    gone: lacking(known, live).filter(isShown),
    changed,
  }).flatMap(([word, fields]) => (fields.length === 0 ? [] : [`${word}: ${fields.join(", ")}`]));
}

/** Returns the path of the object or list of a field. */
const parentOf = (path: string): string =>
  path.endsWith("[]") ? path.slice(0, -2) : path.slice(0, Math.max(0, path.lastIndexOf(".")));
