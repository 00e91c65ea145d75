/** What an agent should know of grids before it proposes one. */
export const GUIDE = `# Grids

A grid rests limit orders at regular prices between a lower and an upper bound. Sells fill as the price rises, buys as
it falls; a buy and the sell of what it bought are a *cycle*, and each cycle earns the spacing less two fees. A grid
earns while the price moves back and forth inside its bounds. It loses when the price leaves them: below, every slot has
bought and holds the base asset; above, it has sold all of it and no longer gains.

## Words
- \`gridLevels\` counts slots, the intervals between two neighbouring prices; as many orders rest.
- \`orderSize\` is in the quote asset, per order. All slots together can come to hold \`gridLevels × orderSize\`.
- \`gridSpacing\` is a price difference; left out, it is (upper − lower) / gridLevels.
- A slot above the market sells base that the account already has; without it the slot waits (\`no_base\`) and begins
  with a buy once the price is above it.

## Choosing one
\`guide_grid\` makes a whole start and its plan from a pair and a budget; by hand:
1. Look at the market: \`get_ticker\` for the price and the spread, \`get_ohlcv\` (1h and 1d) for how far it moves.
2. Bounds: what the price has kept within for weeks, not days; a range that is left at once earns nothing.
3. Spacing: at least three times the two fees of a cycle; with 0.1 % a side that is 0.6 %. \`allowLoss: false\` refuses a
   grid whose cycles do not pay their fees and names the least spacing that does.
4. Size: each order at least the exchange's minimum, all together at most what the person can see fall with the price.
5. Preview it, show the person what it costs and its worst case, and start it only when they agree.

## Watching one
- \`get_grid_status\`: \`profit\` is realised, \`unrealizedProfit\` what the held base has gained or lost since.
- \`refused\` names the slots that rest nothing and why; \`lastError\` why a pass failed, or what the exchange says of
  orders that it does not take: \`rejected\` for certain, \`unclear\` when it has not said what became of them.
- \`get_withdraw_plan\` tells what can be taken out of the account without an order of a strategy starving.
- \`stop_grid\` cancels its orders; what it holds stays in the account.

Nothing here is advice to trade: the person decides.
`;
