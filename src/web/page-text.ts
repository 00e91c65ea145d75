import { capitalized } from "./format.ts";

/** Actions of the page, for the commands of a terminal that messages name. */
const ACTIONS: readonly (readonly [string, string])[] = [
  ["grid edit", "“Edit”"],
  ["quote edit", "“Edit”"],
  ["grid resume", "“Resume”"],
  ["grid stop <id> --sell-base", "“Stop and sell”"],
  ["grid stop", "“Stop”"],
  ["exchange test", "“Test” on the page Access"],
  ["exchange add", "“Exchange keys” on the page Access"],
  ["kill off", "turn it off at the top of the page"],
  ["kill on --cancel", "“Panic” at the top of the page"],
  ["limits set", "the page Limits"],
  ["notify list", "the page Alerts"],
];
const COMMAND = /`?edgemaker ((?:grid|quote|exchange|kill|limits|notify) [a-z-]+[^`;"\\]*)`?/g;

/** Words of the page for what messages advise about a field. */
const ADVICE: readonly (readonly [string, string])[] = [
  [", or set allowLoss", ""],
  ["set initialBuy to", "choose “Buy missing base at once” to"],
  ["set useOwnBase=false", "clear “Sell base already in the account”"],
  ["the plan of this planHash", "this plan"],
  ["symbols lacks", "“Allowed pairs” lacks"],
  ["repeat the request to continue", "choose “Panic” again to continue"],
  ["repeat the request for the rest", "cancel again for the rest"],
  ["with --tick-interval", "with `edgemaker serve --tick-interval`"],
];

/** Fields of the API that messages name. */
const FIELD_NAMES =
  "accessToken accountLoss allowLoss allowWithdrawal baseBudget botToken browserKey browserSecret cancelOrders chatId clientOrderId collarPercent customSpacings dayNotional defend deviationFrom dryBalance dryRun endsAt feeIn fixedPrice gapPercent gridLevels gridSpacing initialBuy lowerPrice makerFee marketSpreadPercent maxAge maxBase maxLoss maxPosition minBase minLiquidity minNotional onEnd onLeave onLoss openOrders orderGapMillis orderNotional orderSize planHash postOnly priceAgeMillis quoteBudget safetyReserve sellBase senderKey sizeModel sizeWeights skewPercent slippagePercent spacingFactor spacingModel spreadPercent stopAtOnce stopLossPrice strategyLoss takeProfitPrice takerFee tickInterval tolerancePercent trailingStopPercent triggerPrice upperPrice useDex useOthers useOwn useOwnBase volatilityFactor volatilityHigh volatilityLow withinPercent".split(
    " ",
  );

/** Labels of fields that are not their own words. */
const PAGE_LABELS: Readonly<Record<string, string>> = {
  accountLoss: "Loss of an account",
  stopLossPrice: "Stop loss",
  takeProfitPrice: "Take profit",
  trailingStopPercent: "Trailing stop",
  maxLoss: "Loss limit",
  triggerPrice: "Trigger",
  endsAt: "Ends at",
  onEnd: "Base at the end",
  stopAtOnce: "Stop at the first price that reaches a stop loss or take profit",
  allowLoss: "Accept cycles that lose money by fees",
  allowWithdrawal: "Accept a key that can withdraw",
  collarPercent: "Distance beyond the mid price",
  dayNotional: "Volume per day",
  defend: "If a side is picked off",
  dryRun: "Paper trading",
  gapPercent: "Gap between two orders",
  gridLevels: "Levels",
  gridSpacing: "Spacing",
  initialBuy: "Buy missing base at once",
  maxBase: "Maximum position",
  minBase: "Minimum position",
  onLeave: "If the price leaves the range",
  maxAge: "Oldest price",
  onLoss: "After a loss",
  orderGapMillis: "Time between two orders",
  orderNotional: "Largest order",
  orderSize: "Per order",
  postOnly: "Refuse orders that would pay the taker fee",
  priceAgeMillis: "Age of the price",
  sellBase: "Stop and sell",
  skewPercent: "Skew",
  spacingModel: "Spacing",
  spreadPercent: "Spread between bid and ask",
  strategyLoss: "Loss of one strategy",
  tolerancePercent: "Distance within which an order stays",
  useDex: "Use the pools of a Cardano token",
  useOthers: "Use the prices of other markets",
  useOwn: "Use the price of this order book",
  useOwnBase: "Sell base already in the account",
  withinPercent: "Depth within",
  "trail.down": "Follow down to",
  "trail.up": "Follow up to",
};

/** Returns a name's parts as words: `lowerPrice` is `lower price`, or `lower-price` as a flag. */
const spelled = (name: string, between: string): string =>
  name.replace(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);

/** Returns the label of a field in the page's words. */
export function fieldLabel(name: string): string {
  return PAGE_LABELS[name] ?? capitalized(spelled(name, " "));
}

const LABEL_OF = new Map(
  [...FIELD_NAMES, "trail.down", "trail.up"].flatMap((name) => {
    const label = `“${fieldLabel(name)}”`;
    return [[name, label] as const, [`--${spelled(name, "-")}`, label] as const];
  }),
);

/** A command of a terminal, a word of JSON, or a word that can be a field's name or a flag. */
const MESSAGE_WORD = /`[^`"]*`|"[\w.]+"|(?<![\w.-])(?:--)?[a-z]+(?:[-.]?[a-zA-Z]+)*/g;

/**
 * Replaces the commands in the text of a response by the actions of the page, and fields and flags by the page's labels;
 * other commands stay.
 */
export function pageText(text: string): string {
  const acted = text.replace(COMMAND, (command, words: string) => {
    const [, action = command] = ACTIONS.find(([start]) => words.startsWith(start)) ?? [];
    return action;
  });
  const advised = ADVICE.reduce((all, [advice, shown]) => all.replaceAll(advice, shown), acted);
  return advised.replace(MESSAGE_WORD, (word) => LABEL_OF.get(word) ?? word);
}
