import type { Loaded } from "../load.ts";

/** The exchange is asked when a person wants to know. */
export const Again = ({ of }: { of: Loaded<unknown> }) => (
  <button type="button" onClick={() => of.again()}>
    Refresh
  </button>
);
