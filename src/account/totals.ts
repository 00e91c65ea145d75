/** Adds up what accounts are worth. */
import { decimal, sum, text } from "../kernel/decimal.ts";

/** What is known of one account: its balances in a quote asset, or why they could not be read. */
export interface AccountRead {
  readonly exchange: string;
  readonly kind: string;
  readonly balances?: readonly { readonly asset: string; readonly worth?: string | null | undefined }[];
  readonly unreadable?: readonly { readonly asset: string; readonly reason: string }[] | undefined;
  readonly error?: string;
}

interface AccountTotal {
  /** Accounts of another kind have another kind of money, so each has its own total. */
  readonly kind: string;
  /** Of what is known; null if nothing is. */
  readonly worth: string | null;
  /** What is not in it, by name. */
  readonly missing: readonly string[];
}

/** Returns a total for each kind of account. What has no price or cannot be read is named, never counted as zero. */
export const accountTotals = (accounts: readonly AccountRead[]): readonly AccountTotal[] =>
  [...new Set(accounts.map(({ kind }) => kind))].map((kind) => {
    const some = accounts.filter((account) => account.kind === kind);
    const worths = some.flatMap(({ balances = [] }) => balances.flatMap(({ worth }) => worth ?? []));
    const missing = some.flatMap(missingOf);
    const isUnknown = worths.length === 0 && missing.length > 0;
    return { kind, worth: isUnknown ? null : text(sum(worths.map(decimal))), missing };
  });

function missingOf({ exchange, balances = [], unreadable = [], error }: AccountRead): readonly string[] {
  const priceless = balances.filter(({ worth }) => worth == null).map(({ asset }) => asset);
  return [
    ...(error === undefined ? [] : [`${exchange}: ${error}`]),
    ...(priceless.length === 0 ? [] : [`${priceless.join(", ")} on ${exchange}: no price there`]),
    ...unreadable.map(({ asset, reason }) => `${asset} on ${exchange}: ${reason}`),
  ];
}
