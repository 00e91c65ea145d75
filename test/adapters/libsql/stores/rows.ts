import { d, slot, state } from "../../../support/grid.ts";
import { START } from "./opened.ts";

/** A grid of two slots that has just been asked for. */
export const started = (over: object = {}) => ({
  prefix: "grid-kraken-BTC-USDT",
  account: "sandbox:kraken:",
  symbol: "BTC/USDT" as const,
  kind: "grid",
  version: 1,
  config: {} as never,
  state: state([slot(), slot({ index: 1, lower: d("110"), upper: d("120") })]),
  wants: "run" as const,
  keepOrders: false,
  sellBase: false,
  status: "running" as const,
  phase: "starting" as const,
  lastError: null,
  startedAt: START,
  stoppedAt: null,
  request: null as string | null,
  ...over,
});
