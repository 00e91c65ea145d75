import { decimal, div, fromNumber, text, wire } from "../../kernel/decimal.ts";
import { lineScaleOf } from "../chart/line-scale.ts";
import { TwoLines } from "../chart/two-lines.tsx";
import { change, number, pairOf } from "../format.ts";
import { isPlanOfGrid } from "../strategy/plan.tsx";
import type { AnyPlan } from "../types.ts";
import { payoff } from "./payoff.ts";

/** Returns a plan's orders, with the sells that an initial buy makes possible. */
function ordersWithSells(planned: AnyPlan): AnyPlan["orders"] {
  const { orders, refused } = planned;
  const bought = orders.find(({ side, crosses }) => crosses && side === "buy");
  const slots = isPlanOfGrid(planned) ? planned.details.slots : [];
  const waiting = slots.filter(({ slot }) => refused.some(({ id }) => id === String(slot)));
  if (!bought || waiting.length === 0) return orders;
  const amount = text(div(decimal(bought.amount), fromNumber(waiting.length) ?? 1n, "down"));
  const sells = waiting.map(({ slot, upperPrice }) => ({
    ...bought,
    id: String(slot),
    side: "sell" as const,
    price: upperPrice,
    amount,
    crosses: false,
  }));
  return [...orders, ...sells];
}

/** P&L by price, after fees and before them. */
export function PayoffCurve({ planned }: { planned: AnyPlan }) {
  const { quote } = pairOf(planned.symbol);
  const points = payoff({ ...planned, orders: ordersWithSells(planned) }).map(({ price, net, gross }) => ({
    timestamp: wire(price),
    own: wire(net),
    buyAndHold: wire(gross),
  }));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const at = ({ timestamp, own }: typeof first) => `${change(own)} ${quote} at ${number(timestamp)}`;
  return (
    <TwoLines
      points={points}
      scale={lineScaleOf(points)}
      label={`P&L by price: ${at(first)}, ${at(last)}`}
      caption={`P&L if the price moves straight there, after fees (solid) and before (dashed): ${at(first)} on the left, ${at(last)} on the right`}
    />
  );
}
