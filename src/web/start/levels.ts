import type { Level } from "../chart/levels.ts";
import type { Planned } from "../types.ts";
import type { Form } from "./form.ts";

/** Returns the price levels of the plan's orders, and its start and stop prices. */
export function levelsOf(form: Form, planned: Planned | undefined): Level[] {
  const [lower, upper] = [Number(form.lowerPrice), Number(form.upperPrice)];
  const bounds = [lower, upper].filter((price) => price > 0);
  const isOfForm = planned?.config.lowerPrice === lower && planned.config.upperPrice === upper;
  const placed = planned && isOfForm ? plannedLevels(planned) : [];
  const named = [
    [form.stopLossPrice, "stop loss", "stop"],
    [form.takeProfitPrice, "take profit", "stop"],
    [form.triggerPrice, "trigger", "line"],
  ] as const;
  return [
    ...placed,
    ...(placed.length > 0 ? [] : bounds.map((price): Level => ({ price, kind: "empty" }))),
    ...named
      .filter(([text]) => Number(text) > 0)
      .map(([text, name, kind]): Level => ({ price: Number(text), kind, name })),
  ];
}

function plannedLevels({ slots, orders, refused }: Planned): Level[] {
  const prices = [...new Set(slots.flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]))];
  const waiting = new Set(refused.map(({ slot }) => slot));
  return prices.map((price): Level => {
    const order = orders.find((one) => one.price === price);
    if (order) return { price, kind: order.side };
    const isRefused = slots.some((slot) => slot.upperPrice === price && waiting.has(slot.slot));
    return { price, kind: isRefused ? "refused" : "empty" };
  });
}
