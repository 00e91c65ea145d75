import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { dayOf } from "../../kernel/time.ts";
import { exposureText } from "../../limits/exposure.ts";
import type { Exposure, KnownExposure } from "../../model/proposal.ts";
import type { McpOptions, McpSettings } from "./options.ts";

/** Returns the scope that counts the plans of one token, or all plans of a process with one client. */
const scopeOf = ({ caller }: Pick<McpOptions, "caller">): string => `agent:${caller.actor}`;

/** Returns whether a limit per plan or per day is set. */
export const isLimited = ({ most, mostADay }: McpSettings): boolean =>
  (most?.size ?? 0) > 0 || (mostADay?.size ?? 0) > 0;

/**
 * Returns what the agents' own limits leave for a plan and for the day, as text. Throws AppError if the plan exceeds
 * them, or if its exposure is unknown.
 */
export async function agentLimitTexts(exposure: Exposure, options: McpOptions): Promise<readonly string[]> {
  const { settings } = options;
  if (exposure.trades === "nothing" || !isLimited(settings)) return [];
  if (exposure.trades === "known" && exposure.counted === 0n) return [];
  const { asset, amount, what } = usesOf(exposure);
  const [most, day] = [settings.most?.get(asset), dayLimit(settings, asset)];
  if (day === undefined)
    throw forbidden(`${what}, but agents have no budget for it; a person can set EDGEMAKER_MCP_MOST`);
  if (most !== undefined && amount > most)
    throw forbidden(`${what}; one plan can use at most ${text(most)} (EDGEMAKER_MCP_MOST)`);
  const used = await usedToday(options, asset);
  if (used + amount > day) throw beyondDay(what, { used, day });
  return [
    most === undefined ? what : `${what} of the ${text(most)} that one plan can use`,
    `agents can use ${text(day - used)} ${asset} more today (UTC)`,
  ];
}

/**
 * Counts a plan that is about to be executed toward its token's daily limit, once. Throws AppError if the limit would
 * be exceeded.
 */
export async function countPlan(exposure: Exposure, options: McpOptions): Promise<void> {
  const { settings, deps } = options;
  await agentLimitTexts(exposure, options);
  if (exposure.trades !== "known" || !isLimited(settings)) return;
  const { asset, amount, what } = usesOf(exposure);
  const day = dayLimit(settings, asset) ?? null;
  const use = { scope: scopeOf(options), asset, notional: amount, most: day };
  if (await deps.store.useLimit(use)) return;
  throw beyondDay(what, { used: await usedToday(options, asset), day: day ?? 0n });
}

function usesOf(exposure: Exclude<Exposure, { readonly trades: "nothing" }>) {
  if (exposure.trades === "unknown")
    throw forbidden(
      `the amount that this can trade is unknown: ${exposure.why}; agents can only do what stays within their limit`,
    );
  const { quote: asset } = splitPair(exposure.symbol);
  return { asset, amount: exposure.counted, what: usesText(exposure, asset) };
}

const usesText = (exposure: KnownExposure, asset: string): string =>
  `this could use ${text(exposure.counted)} ${asset} (${exposureText(exposure)})`;

/** The maximum of one plan is that of a day, unless the settings have another one. */
const dayLimit = ({ most, mostADay }: McpSettings, asset: string): Decimal | undefined =>
  mostADay?.get(asset) ?? most?.get(asset);

async function usedToday({ deps, ...options }: McpOptions, asset: string): Promise<Decimal> {
  const scope = scopeOf(options);
  const { now, uses } = await deps.store.readLimits({ scopes: [scope], account: "", actor: "" });
  return uses.find((use) => use.day === dayOf(now) && use.asset === asset)?.notional ?? 0n;
}

/** Maximum growth of a plan between preview and commit, through fills and price changes: 1/20. */
const MAY_GROW = 20n;

/** Returns why a commit could do more than its plan showed; undefined if it could not. */
export function outgrown(now: Exposure, shown: Exposure | undefined): AppError | undefined {
  const isMore = (name: "base" | "quote" | "exits") => {
    const before = amountIn(shown, name);
    return amountIn(now, name) > before + before / MAY_GROW;
  };
  if (
    now.trades === "unknown"
      ? shown?.trades === "unknown"
      : !(["base", "quote", "exits"] as const).some(isMore)
  )
    return undefined;
  const what = now.trades === "known" ? `it could now ${exposureText(now)}` : "the amount is unknown now";
  return new AppError("Conflict", `this can trade more than its plan showed: ${what}; nothing was done`);
}

const amountIn = (exposure: Exposure | undefined, name: "base" | "quote" | "exits"): Decimal =>
  exposure?.trades === "known" ? exposure[name] : 0n;

const forbidden = (message: string): AppError => new AppError("Forbidden", message);

const beyondDay = (what: string, { used, day }: { used: Decimal; day: Decimal }): AppError =>
  forbidden(
    `${what}; of the ${text(day)} that an agent's plans can use in one UTC day, ${text(used)} are used (EDGEMAKER_MCP_MOST, EDGEMAKER_MCP_MOST_A_DAY)`,
  );
