import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import type { Ledger } from "../state/state.ts";

/** Returns the quote that fills have spent, minus what they have returned, before fees. */
export const spentOf = ({ quote, fees }: Pick<Ledger, "quote" | "fees">, asset: string): Decimal =>
  -quote - (fees[asset] ?? ZERO);
