import type { TestedKeys } from "../types.ts";

/** Describes the result of a test of keys. */
export function describeTested({ exchange, assets, mayWithdraw }: TestedKeys): string {
  const rights =
    mayWithdraw === null
      ? "The exchange does not show whether they can withdraw."
      : mayWithdraw
        ? "They can withdraw. Create keys that can only read and trade."
        : "They cannot withdraw.";
  return `${exchange} accepts them; the account has ${assets} assets. ${rights}`;
}
