import { useRef } from "hono/jsx/dom";
import { type Digits, number } from "../format.ts";

export type Bound = "lower" | "upper";

const BOUND_NAMES: Readonly<Record<Bound, string>> = { lower: "Lower price", upper: "Upper price" };

/** How many hundredths of the range a key moves a bound. */
const KEY_STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

interface SliderProps {
  readonly bound: Bound;
  readonly bounds: Readonly<Record<Bound, number>>;
  readonly digits: Digits;
  readonly priceAt: (y: number) => number | undefined;
  readonly moved: (price: number) => void;
  readonly released: () => void;
}

/** A bound of a grid, over its price in the chart, which a pointer or keys move. The chart puts it in its place. */
export function BoundSlider({ bound, bounds, digits, priceAt, moved, released }: SliderProps) {
  const isDragged = useRef(false);
  const price = bounds[bound];
  const take = (event: PointerEvent) => {
    isDragged.current = true;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  const move = ({ currentTarget, clientY }: PointerEvent) => {
    const top = (currentTarget as HTMLElement).parentElement?.getBoundingClientRect().top ?? 0;
    const next = isDragged.current ? priceAt(clientY - top) : undefined;
    if (next !== undefined && next > 0) moved(next);
  };
  const release = () => {
    if (isDragged.current) released();
    isDragged.current = false;
  };
  const press = (event: KeyboardEvent) => {
    const next = price + ((KEY_STEPS[event.key] ?? 0) * (bounds.upper - bounds.lower)) / 100;
    if (next === price || next <= 0) return;
    event.preventDefault();
    moved(next);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      class="bound"
      data-price={price}
      aria-label={BOUND_NAMES[bound]}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={2 * bounds.upper}
      aria-valuenow={price}
      aria-valuetext={number(price, digits)}
      onPointerDown={take}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onKeyDown={press}
      onKeyUp={({ key }: KeyboardEvent) => key in KEY_STEPS && released()}
    >
      <span>{`${BOUND_NAMES[bound]} ${number(price, digits)}`}</span>
    </div>
  );
}
