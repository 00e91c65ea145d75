import { operation } from "../../operation.ts";
import { centeredInput, centeredPreviewInput, rangeInput, rangePreviewInput } from "../schema/input.ts";
import { RANGE_FLAGS, TRAIL_PARTS } from "../schema/range-flags.ts";
import { PlannedShape, StartedShape } from "../schema/schema.ts";
import { checkCentered, checkStart } from "../start/check.ts";
import { centerOf } from "../start/plan-hash.ts";
import { centeredOf, requestedRangeOf } from "../start/requested.ts";
import { prepareStart, previewStrategy, type StartRequest, whoOf } from "./starting.ts";

/** Outside the plain API, a grid that loses money by its fees or sells your own base needs an explicit flag. */
const CAUTIOUS = { defaults: { allowLoss: false, useOwnBase: false } } as const;

const STARTS = {
  effect: "trade",
  access: "token",
  mcp: CAUTIOUS,
  output: StartedShape,
  failure: "Start failed",
} as const;

const PREVIEW_OPERATION = {
  effect: "read",
  access: "token",
  mcp: CAUTIOUS,
  output: PlannedShape,
  failure: "Start failed",
} as const;

const EXAMPLE = "--exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100";

const checkRange =
  (request: Parameters<typeof requestedRangeOf>[0]): StartRequest["checked"] =>
  ({ market, quote, balances }, withFunds) =>
    checkStart(requestedRangeOf(request), { market, quote, balances: withFunds ? balances : undefined });

const checkAround =
  (request: Parameters<typeof centeredOf>[0]): StartRequest["checked"] =>
  ({ market, quote, balances }, withFunds, planHash) =>
    checkCentered(
      centeredOf(request),
      { market, quote, balances: withFunds ? balances : undefined },
      centerOf(planHash),
    );

export const startGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_grid",
    summary: "Start a grid between two prices",
    http: { route: "POST /strategy/grid", from: "body", idempotent: true },
    cli: {
      path: "grid start",
      flags: RANGE_FLAGS,
      parts: TRAIL_PARTS,
      ...CAUTIOUS,
      steps: true,
      examples: [`edgemaker grid start ${EXAMPLE}`],
    },
    input: () => rangeInput(ids),
    prepare: (deps, { planHash, ...request }, call) =>
      prepareStart(deps, { where: request, checked: checkRange(request), planHash, ...whoOf(call) }),
  });

export const previewGrid = (ids: readonly string[]) =>
  operation({
    ...PREVIEW_OPERATION,
    name: "preview_grid",
    summary: "Show orders, cost and worst case of a grid between two prices",
    http: { route: "POST /strategy/grid/preview", from: "body" },
    cli: {
      path: "grid preview",
      flags: RANGE_FLAGS,
      parts: TRAIL_PARTS,
      ...CAUTIOUS,
      examples: [`edgemaker grid preview ${EXAMPLE}`],
    },
    input: () => rangePreviewInput(ids),
    run: (deps, request, { actor }) =>
      previewStrategy(deps, { where: request, checked: checkRange(request), actor }),
  });

export const startCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_centered_grid",
    summary: "Start a grid that follows the market price",
    http: { route: "POST /strategy/grid/centered", from: "body", idempotent: true },
    input: () => centeredInput(ids),
    prepare: (deps, { planHash, ...request }, call) =>
      prepareStart(deps, { where: request, checked: checkAround(request), planHash, ...whoOf(call) }),
  });

export const previewCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...PREVIEW_OPERATION,
    name: "preview_centered_grid",
    summary: "Show orders, cost and worst case of a grid that follows the market price",
    http: { route: "POST /strategy/grid/centered/preview", from: "body" },
    input: () => centeredPreviewInput(ids),
    run: (deps, request, { actor }) =>
      previewStrategy(deps, { where: request, checked: checkAround(request), actor }),
  });
