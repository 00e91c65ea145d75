import type { Loaded } from "../load.ts";
import { LoadedAgo } from "../ui.tsx";

/** The age of data from the exchange, and a button that reloads them on request. */
export const Again = ({ of }: { of: Loaded<unknown> }) => (
  <span>
    <LoadedAgo of={of} />{" "}
    <button type="button" onClick={() => of.again()}>
      Refresh
    </button>
  </span>
);
