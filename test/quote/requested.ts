/** Quotes of two levels on each side of the sandbox's first price. */
export const REQUEST = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 1,
  levels: 2,
  size: 100,
  // Of both as much, so that no side lies near the price, which moves while a test runs.
  baseBudget: 0.0333,
  quoteBudget: 2000,
};
