import { expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { type Schema, schemaOf } from "../../src/transport/openapi-schema.ts";

/** Operations of the contract, whose answers have money as JSON numbers. A stop is also `DELETE /strategy/grid`. */
const CONTRACT = [
  ..."get_ticker get_orderbook get_trades get_ohlcv list_orders get_order create_order".split(" "),
  ..."start_grid stop_strategy get_grid_status list_grids get_dex_price get_dex_pools compare_prices".split(
    " ",
  ),
];

/** Operations whose answers repeat settings as a start accepts them, or show the plan of a start: also numbers. */
const PLANS = [..."guide_grid suggest_grid".split(" ")];

/** Numbers that are no money, by the end of their name: percentages and times. */
const ENDS = /Percent$|At$|Millis$|Time$|^timestamp$|^after$/;

/** Numbers that are no money. A new number belongs here, or is decimal text. */
const OTHER_NUMBERS = new Set([
  // Times and spans of time.
  ..."from to until at since day hour seconds debounce longestGap minutes".split(" "),
  // Numbers of things.
  ..."count cycles crossings days breakEvenDays slot bars missingBars fills withoutMid unmeasured known unknown samples cutShort timed".split(
    " ",
  ),
  ..."unknownSources moreGaps markets unknownMarkets buys sells passes logLines prints books gaps".split(" "),
  ..."duplicates refusedRows same record candles incidents orders assets waiting givenUp messages".split(" "),
  ..."openOrders filledOrders waitingSlots gridLevels levels kept missed cancelled ofStrategies".split(" "),
  ..."chains checkpoints unchained events exchangeCalls databaseRequests rowsRead rowsWritten".split(" "),
  "count.least",
  "count.most",
  // Positions and versions.
  ..."id seq event slot level generation version next".split(" "),
  // Shares, ratios and mean counts.
  ..."percent sharpe confidence confidence.value spacing maxPosition safetyReserve reinvest deviation sources".split(
    " ",
  ),
  // Their unit depends on the rule: percent, minutes or quote.
  ..."rules.value rules.limit before.value findings.value findings.limit".split(" "),
  // Values that a strategy writes itself.
  "notes.*",
]);

interface NumberField {
  readonly parent: string;
  readonly name: string;
}

const isMoney = ({ parent, name }: NumberField): boolean =>
  !(ENDS.test(name) || OTHER_NUMBERS.has(name) || OTHER_NUMBERS.has(`${parent}.${name}`));

/** Yields the fields that are numbers, also in lists, records and alternatives. */
function* numberFields(schema: Schema, parent: string, name: string): Generator<NumberField> {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const types: readonly unknown[] = [schema.type].flat();
  if (types.includes("number") || types.includes("integer")) yield { parent, name };
  for (const [field, part] of Object.entries(properties)) yield* numberFields(part, name, field);
  if (items) yield* numberFields(items, parent, name);
  if (typeof additionalProperties === "object") yield* numberFields(additionalProperties, name, "*");
  for (const part of [...anyOf, ...(oneOf as readonly Schema[])]) yield* numberFields(part, parent, name);
}

const operations = createOperations([]);
const names = operations.map(({ name }) => name);
const moneyNumbers = ({ name, output }: (typeof operations)[number]): string[] => [
  ...new Set(
    [...numberFields(schemaOf(output, "output", name), "", name)]
      .filter(isMoney)
      .map((field) => `${field.parent}.${field.name}`),
  ),
];

it("lists operations that exist", () => {
  expect([...CONTRACT, ...PLANS].filter((name) => !names.includes(name))).toEqual([]);
});

it("finds the money of the contract's answers", () => {
  const ticker = operations.filter(({ name }) => name === "get_ticker").flatMap(moneyNumbers);
  expect(ticker).toEqual(
    ["last", "bid", "ask", "spread", "baseVolume", "quoteVolume"].map((name) => `get_ticker.${name}`),
  );
});

it.each(
  operations
    .filter(({ name }) => ![...CONTRACT, ...PLANS].includes(name))
    .map((operation) => [operation.name, operation] as const),
)("has money as decimal text in the answer of %s", (_name, operation) => {
  expect(moneyNumbers(operation)).toEqual([]);
});
