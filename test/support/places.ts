/** Each page, and a text that is there with its data; ID is a strategy's. */
export const PLACES: readonly (readonly [string, string])[] = [
  ["", "vs buy and hold"],
  ["strategy/ID", "Message"],
  ["start", "By numbers"],
  ["backtest", "Run it"],
  ["report", "By strategy"],
  ["markets", "VWAP"],
  ["compare", "Lowest ask"],
  ["dex", "Locked, ADA"],
  ["account/kraken", "Placed"],
  ["alerts", "Channels"],
  ["limits", "Change one"],
  ["agents", "No agent wants"],
  ["access", "Exchange keys"],
  ["audit", "Message"],
];
