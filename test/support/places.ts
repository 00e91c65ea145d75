/** Each page, and a text that is there with its data; ID is a strategy's. */
export const PLACES: readonly (readonly [string, string])[] = [
  ["", "vs buy and hold"],
  ["strategy/ID", "vs buy and hold"],
  ["start", "By numbers"],
  ["backtest", "Run it"],
  ["report", "By strategy"],
  ["markets", "Bid"],
  ["compare", "Lowest ask"],
  ["dex", "Value locked, ADA"],
  ["account/kraken", "Placed"],
  ["alerts", "Channels"],
  ["limits", "Change a limit"],
  ["agents", "No plans are waiting"],
  ["access", "Exchange keys"],
  ["audit", "Message"],
];
