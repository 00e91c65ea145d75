import { readFile } from "node:fs/promises";
import { AppError, SettingsError } from "../../src/kernel/errors.ts";
import { dayOf, parseTime } from "../../src/kernel/time.ts";
import { checkBundle } from "../../src/liquidity/operations/check-proof.ts";
import { bundleLines, type ProofDeps, signDays } from "../../src/liquidity/operations/proof.ts";
import type { ProofKeys } from "../../src/liquidity/store/proofs.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { pairFlag } from "./candles/import.ts";
import { withDatabase } from "./database/open.ts";

export const showProofKey = (values: Values): Promise<number> =>
  withDatabase(values, async (deps) => {
    const { proofs } = proofDeps(deps);
    await proofs.createKey();
    return { publicKey: (await proofs.key())?.publicKey, algorithm: "Ed25519" };
  });

/** Signs finished days, and prints them line by line. */
export async function publishProof(values: Values): Promise<number> {
  const pair = { exchange: exchangeFlag(values), symbol: pairFlag(values) };
  const span = { from: dayGiven(values, "from") ?? 0, to: dayGiven(values, "to") ?? Number.MAX_SAFE_INTEGER };
  return withDatabase(values, async (deps) => {
    const proof = proofDeps(deps);
    const key = await proof.proofs.key();
    if (!key)
      throw new AppError("Not found", "there is no key to sign with; create it with `edgemaker proof key`");
    await signDays(proof, pair, { key, now: await deps.store.now() });
    for await (const line of bundleLines(proof, pair, span)) process.stdout.write(`${line}\n`);
    return undefined;
  });
}

export async function verifyProof(values: Values): Promise<number> {
  if (values.file === undefined) throw new UsageError("name the file to verify");
  const verdict = await checkBundle(await readFile(String(values.file), "utf8"), keyGiven(values));
  print(values, verdict);
  return verdict.valid ? 0 : 1;
}

const keyGiven = ({ key }: Values): string | undefined => {
  if (key !== undefined && !/^[0-9a-f]{64}$/.test(String(key)))
    throw new UsageError("--key must be a public key: 64 hexadecimal digits");
  return key === undefined ? undefined : String(key);
};

function proofDeps({ liquidity }: LiquidityDeps): ProofDeps & { readonly proofs: ProofKeys } {
  if (!liquidity?.proofs) throw new SettingsError("this database stores no samples");
  return { store: liquidity.store, proofs: liquidity.proofs };
}

function exchangeFlag({ exchange }: Values): string {
  if (typeof exchange !== "string") throw new UsageError("--exchange is required, for example kraken");
  return exchange;
}

function dayGiven(values: Values, name: string): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  const at = parseTime(String(value));
  if (at === undefined) throw new UsageError(`--${name} must be a day, for example 2026-01-31`);
  return dayOf(at);
}
