import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import type { Ledger } from "../state/state.ts";

/** Quote that fills have spent, less what they have returned, before fees. */
export const spentOf = ({ quote, fees }: Pick<Ledger, "quote" | "fees">, asset: string): Decimal =>
  -quote - (fees[asset] ?? ZERO);
