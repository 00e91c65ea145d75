import type { Loaded } from "../load.ts";

/** A button that reloads data from the exchange on request. */
export const Again = ({ of }: { of: Loaded<unknown> }) => (
  <button type="button" onClick={() => of.again()}>
    Refresh
  </button>
);
