/** A market's name, `BASE/QUOTE`, in digits and letters of any script; upper case where a script has two cases. */
export type Pair = `${string}/${string}`;

/** An asset's name. */
export const ASSET = /^[\p{Lu}\p{Lo}\p{Nd}]{1,20}$/u;

export const isPair = (text: string): text is Pair => {
  const [base = "", quote = "", ...others] = text.split("/");
  return others.length === 0 && ASSET.test(base) && ASSET.test(quote);
};

/** Parses `BTC=0.5` to the asset and the text of its amount. */
export function assetEntry(entry: string): readonly [asset: string, value: string] | undefined {
  const [asset = "", value = "", ...others] = entry.trim().split("=");
  return others.length === 0 && ASSET.test(asset) && /^[\d.]{1,40}$/.test(value) ? [asset, value] : undefined;
}

export function splitPair(pair: Pair): { base: string; quote: string } {
  const [base = "", quote = ""] = pair.split("/");
  return { base, quote };
}

/** Tokens with a known price on the chain's exchanges, each with its on-chain id. */
export const CHAIN_TOKENS = {
  INDY: { policyId: "533bb94a8850ee3ccbe483106489399112b74c905342cb1792a797a0", nameHex: "494e4459" },
  SNEK: { policyId: "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f", nameHex: "534e454b" },
  NIGHT: { policyId: "0691b2fecca1ac4f53cb6dfb00b7013e561d1f34403b957cbb5af1fa", nameHex: "4e49474854" },
  MIN: { policyId: "29d222ce763455e3d7a09a665ce554f00ac89d2e99a1a83d267170c6", nameHex: "4d494e" },
} as const;

export type ChainToken = keyof typeof CHAIN_TOKENS;

export const chainTokens = Object.keys(CHAIN_TOKENS) as readonly ChainToken[];

/** Returns whether a pair's base is one of them; upper case, as exchanges write it. */
export const isChainToken = (base: string): base is ChainToken => Object.hasOwn(CHAIN_TOKENS, base);
