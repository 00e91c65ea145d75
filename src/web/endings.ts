/** A setting with which every strategy starts or ends by itself, as forms show it. */
export interface EndingField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

const TIME_HINT = "For example 2026-12-31T18:00Z";

/** Returns the settings in the order of a form, with the quote asset of the pair. */
export const endingSettings = (quote: string) =>
  ({
    stopLossPrice: {
      name: "stopLossPrice",
      label: `Stop loss, ${quote}`,
      hint: "Stops and sells at or below",
    },
    takeProfitPrice: {
      name: "takeProfitPrice",
      label: `Take profit, ${quote}`,
      hint: "Stops and sells at or above",
    },
    trailingStopPercent: {
      name: "trailingStopPercent",
      label: "Trailing stop, %",
      hint: "Stops and sells this far below the highest price",
    },
    maxLoss: {
      name: "maxLoss",
      label: `Loss limit, ${quote}`,
      hint: "Beyond it, nothing is placed until you resume",
    },
    triggerPrice: {
      name: "triggerPrice",
      label: `Trigger, ${quote}`,
      hint: "Waits until the market reaches this price",
    },
    endsAt: { name: "endsAt", label: "Ends at", hint: TIME_HINT },
    onEnd: { name: "onEnd", label: "Base at the end", hint: "keep or sell; by default it is kept" },
    stopAtOnce: {
      name: "stopAtOnce",
      label: "Stop at the first price that reaches a stop loss or take profit",
      hint: "",
    },
  }) as const satisfies Readonly<Record<string, EndingField>>;

/** Returns the label of one of these settings, without the asset; undefined for another field. */
export const endingLabel = (field: string): string | undefined =>
  (endingSettings("") as Readonly<Record<string, EndingField>>)[field]?.label.replace(/, %?$/, "");
