import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle.ts";

export type Dict = Record<string, unknown>;

export interface Case {
  readonly method: string;
  readonly description: string;
  readonly input: readonly unknown[];
  readonly httpResponse: unknown;
  readonly parsedResponse: unknown;
}

export interface Recorded {
  readonly markets: Readonly<Record<string, Dict>>;
  readonly cases: readonly Case[];
  readonly derived: readonly Case[];
  readonly requests: readonly {
    readonly method: string;
    readonly description: string;
    readonly input: readonly unknown[];
    readonly httpMethod: string;
    readonly url: string;
    readonly output?: string | Dict | null;
  }[];
  readonly errors: readonly {
    readonly description: string;
    readonly httpStatus: number;
    readonly body: string;
    readonly call: { readonly method: string; readonly args: readonly unknown[] };
    /** What ccxt makes of it. */
    readonly ccxtError: string;
  }[];
}

const EXCHANGES = { mexc: "mexc", gateio: "gate", bitget: "bitget", kraken: "kraken" } as const;
type Exchange = keyof typeof EXCHANGES;

const OURS = join(root, "test/figures");
const SHARED = join(root, "../shared/fixtures/exchanges");
const hasRecordings = existsSync(SHARED);
if (!hasRecordings) console.warn("skipped: recorded payloads are not here (../shared/fixtures), our own are");

/** Payloads of an exchange, each with what is to be made of it. */
export interface Payloads extends Recorded {
  readonly exchange: Exchange;
  readonly source: string;
}

const NONE: Recorded = { markets: {}, cases: [], derived: [], requests: [], errors: [] };

const read = (file: string): Recorded => ({ ...NONE, ...JSON.parse(readFileSync(file, "utf8")) });

/** Of each exchange the project's own figures, which are always here, then those recorded, where they are. */
export const PAYLOADS: readonly Payloads[] = (Object.keys(EXCHANGES) as Exchange[]).flatMap((exchange) => [
  { ...read(join(OURS, `${exchange}.json`)), exchange, source: "our figures" },
  ...(hasRecordings
    ? [{ ...read(join(SHARED, `${EXCHANGES[exchange]}.json`)), exchange, source: "recordings" }]
    : []),
]);
