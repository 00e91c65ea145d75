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
  }[];
}

const FILES: Readonly<Record<string, string>> = {
  mexc: "mexc",
  gateio: "gate",
  bitget: "bitget",
  kraken: "kraken",
};

const folder = join(root, "../shared/fixtures/exchanges");

/** Recorded payloads of an exchange; undefined where they are not at hand. */
export function recorded(exchange: string): Recorded | undefined {
  const file = join(folder, `${FILES[exchange]}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recorded) : undefined;
}
