/** Explains grids to an agent before it proposes one. */
export const GUIDE = `# Grids

A grid places limit orders at regular prices between a lower and an upper bound. Sells fill as the price rises, and buys as it
falls. A buy and the sell of what it bought are a *cycle*. Each cycle earns the spacing minus two fees. A grid earns while the price
moves back and forth inside its bounds. It loses when the price leaves them. Below, every slot has bought and holds base. Above, it
has sold everything and earns nothing more.

## Fields
- \`gridLevels\` is the number of slots, the intervals between two neighboring prices. Each has one open order.
- \`orderSize\` is the quote per order. All slots together can use \`gridLevels × orderSize\`.
- \`gridSpacing\` is a price difference; the default is (upper − lower) / gridLevels.
- A slot above the market sells base that the account already has. Without base it waits (\`no_base\`), and starts with a buy when the
  price is above it.

## Choose a grid
\`guide_grid\` creates a complete plan from a pair and a budget. To choose the numbers yourself:
1. Read the market: \`get_ticker\` for price and spread, \`get_ohlcv\` (1h and 1d) for its movement.
2. Bounds: the range of the price over weeks, not days.
3. Spacing: at least three times the two fees of a cycle; with a fee of 0.1 % that is 0.6 %. With \`allowLoss: false\`, the server
   refuses a grid whose cycles lose money, and returns the smallest spacing that works.
4. Size: each order at least the exchange's minimum; all together at most what the person can lose.
5. Preview it. Show the person the cost and the worst case. Start it only when they agree.

## Monitor a grid
- \`get_grid_status\`: \`profit\` is realized P&L, \`unrealizedProfit\` is the P&L of the base it holds.
- \`refused\` lists slots without an order, with the reason. \`lastError\` is the error of the last pass. \`rejected\` orders
  are certain; \`unclear\` orders are unconfirmed.
- \`get_withdraw_plan\` shows how much can be withdrawn without leaving an order unfunded.
- \`stop_grid\` cancels its orders. The base stays in the account.

This is not advice to trade: the person decides.
`;
