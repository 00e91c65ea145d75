/** Result of a test of keys. */
export interface Tested {
  readonly assets: number;
  readonly mayWithdraw: boolean | null;
}

export function describeTested(exchange: string, { assets, mayWithdraw }: Tested): string {
  const rights =
    mayWithdraw === null
      ? "The exchange does not show whether they can withdraw."
      : mayWithdraw
        ? "They can withdraw. Create keys that can only read and trade."
        : "They cannot withdraw.";
  return `${exchange} accepts them; the account has ${assets} assets. ${rights}`;
}
