import type { Mode } from "../model/account.ts";
import { useEffect } from "./effect.ts";
import { createValue, useValue } from "./session.ts";

/** Whose money the page shows: the server's, or that of the strategy on it. */
export const shownMode = createValue<Mode>("real");

/** Shows another mode than the server's while a part of the page is open. */
export function useMode(mode: Mode | undefined): void {
  useEffect(() => {
    if (mode !== "paper") return undefined;
    const before = shownMode.get();
    shownMode.set(mode);
    return () => shownMode.set(before);
  }, [mode]);
}

const SAYS = {
  simulated: "No real money: exchange, prices and orders are simulated",
  paper: "No real money: orders and fills are simulated",
} as const;

/** A bar over each page if no real money is at stake, or a red mark if it is. */
export function ModeBar() {
  const mode = useValue(shownMode);
  if (mode === "real") return <b class="money">real money</b>;
  return (
    <p class={`mode ${mode}`}>
      <b>{mode.toUpperCase()}</b> {SAYS[mode]}
    </p>
  );
}
