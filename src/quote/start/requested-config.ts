/** Converts input to the stored configuration. */
import { type Decimal, min, ONE, ZERO } from "../../kernel/decimal.ts";
import type { Sizes } from "../levels.ts";
import type { QuoteRequest } from "../schema/input.ts";
import type { QuoteConfig } from "../state/state.ts";

/** Maximum spread of an estimator, as a share of the price. */
const WIDEST_QUOTE: Decimal = ONE / 10n;

export function quoteConfigOf(request: QuoteRequest, budget: QuoteConfig["budget"]): QuoteConfig {
  const { spread, levels, gap, volatilityFactor, target, skew, maxBase, minBase, maxLoss } = request;
  const { useOwn, useOthers, useDex, fixedPrice, maxAge, collar, tolerance } = request;
  const vote = (is: boolean) => (is ? ONE : ZERO);
  return {
    rules: {
      levels,
      gap: gap ?? spread / 2n,
      sizes: sizesOf(request),
      halfSpread: spread / 2n,
      volatilityFactor,
      target,
      strength: skew ?? spread,
      mostSkew: min(spread / 2n, WIDEST_QUOTE),
      widest: WIDEST_QUOTE,
      ...modelOf(request),
      ...(maxBase === undefined ? {} : { mostBase: maxBase }),
      ...(minBase === undefined ? {} : { leastBase: minBase }),
      ...defenceOf(request),
    },
    tolerance: { price: tolerance ?? spread / 8n, amount: ONE / 2n },
    weights: { own: vote(useOwn), others: vote(useOthers), dex: vote(useDex) },
    ...(fixedPrice === undefined ? {} : { fixed: { price: fixedPrice, weight: ONE } }),
    maxAge,
    ...(collar === ZERO ? {} : { collar }),
    budget,
    ...(maxLoss === undefined ? {} : { maxLoss }),
  };
}

function sizesOf({ size, depth, within, growth }: QuoteRequest): Sizes {
  if (depth !== undefined) return { model: "depth", depth, within };
  return growth === ONE
    ? { model: "flat", size: size ?? ZERO }
    : { model: "growing", size: size ?? ZERO, factor: growth };
}

const defenceOf = ({ defend }: Pick<ChangeRequest, "defend">) =>
  defend === undefined ? {} : { defence: defend === "off" ? undefined : defend };

const modelOf = ({ gamma, sigma, k, horizon }: QuoteRequest) =>
  gamma === undefined || sigma === undefined || k === undefined
    ? {}
    : { avellaneda: { gamma, sigma, k, horizon: horizon ?? 1 } };

type Changeable =
  | "spread"
  | "levels"
  | "size"
  | "depth"
  | "maxBase"
  | "minBase"
  | "maxLoss"
  | "defend"
  | "fixedPrice"
  | "tolerance";
export type ChangeRequest = { readonly [N in Changeable]?: QuoteRequest[N] | undefined };

/** Returns the configuration after a change; absent fields stay unchanged. */
export function changedQuote(config: QuoteConfig, request: ChangeRequest): QuoteConfig {
  const { rules } = config;
  const { spread, levels, size, depth, maxBase, minBase, maxLoss, fixedPrice, tolerance } = request;
  const within = rules.sizes.model === "depth" ? rules.sizes.within : ONE / 50n;
  const sizes: Sizes =
    depth !== undefined
      ? { model: "depth", depth, within }
      : size !== undefined
        ? resized(rules.sizes, size)
        : rules.sizes;
  return {
    ...config,
    rules: {
      ...rules,
      sizes,
      ...(levels === undefined ? {} : { levels }),
      ...(spread === undefined ? {} : { halfSpread: spread / 2n, mostSkew: min(spread / 2n, WIDEST_QUOTE) }),
      // The default follows the spread; a requested gap stays.
      ...(spread !== undefined && rules.gap === rules.halfSpread ? { gap: spread / 2n } : {}),
      ...(maxBase === undefined ? {} : { mostBase: maxBase }),
      ...(minBase === undefined ? {} : { leastBase: minBase }),
      ...defenceOf(request),
    },
    tolerance: {
      ...config.tolerance,
      ...(spread === undefined ? {} : { price: spread / 8n }),
      ...(tolerance === undefined ? {} : { price: tolerance }),
    },
    ...(maxLoss === undefined ? {} : { maxLoss }),
    ...(fixedPrice === undefined ? {} : { fixed: { price: fixedPrice, weight: ONE } }),
  };
}

const resized = (sizes: Sizes, size: Decimal): Sizes =>
  sizes.model === "growing" ? { ...sizes, size } : { model: "flat", size };
