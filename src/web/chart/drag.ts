import type { ChartHandle } from "./create.ts";

export type Bound = "lower" | "upper";

interface Movable {
  readonly bounds?: Readonly<Record<Bound, number>> | undefined;
  readonly moved?: ((bound: Bound, price: number) => void) | undefined;
}

/** Distance in pixels from a bound within which it can be dragged. */
const REACH = 8;

/** Lets a pointer drag the bounds of a grid; input fields do the same for keyboards. */
export function dragBounds(element: HTMLElement, chart: ChartHandle, movable: () => Movable): () => void {
  let dragged: Bound | undefined;
  const heightOf = (event: PointerEvent) => event.clientY - element.getBoundingClientRect().top;
  const boundAt = (y: number): Bound | undefined => {
    const { bounds } = movable();
    return bounds && (["lower", "upper"] as const).find((one) => near(chart.yOf(bounds[one]), y));
  };
  const take = (event: PointerEvent) => {
    dragged = boundAt(heightOf(event));
    if (!dragged) return;
    // Otherwise the chart would scroll with it.
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const y = heightOf(event);
    element.classList.toggle("movable", dragged !== undefined || boundAt(y) !== undefined);
    const price = dragged && chart.priceAt(y);
    if (dragged && price !== undefined && price > 0) movable().moved?.(dragged, price);
  };
  const leave = () => {
    dragged = undefined;
  };
  const swallow = (event: MouseEvent) => {
    if (boundAt(event.clientY - element.getBoundingClientRect().top)) event.stopPropagation();
  };
  const ended = new AbortController();
  const how = { signal: ended.signal, capture: true };
  element.addEventListener("pointerdown", take, how);
  element.addEventListener("mousedown", swallow, how);
  element.addEventListener("pointermove", move, how);
  element.addEventListener("pointerup", leave, how);
  element.addEventListener("pointercancel", leave, how);
  return () => ended.abort();
}

const near = (line: number | undefined, y: number): boolean =>
  line !== undefined && Math.abs(line - y) <= REACH;
