import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayOf } from "../../kernel/time.ts";
import type { Preview } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import type { McpOptions, McpSettings } from "./options.ts";

/** Under which the plans of one token are counted; all of a process's own where it has one client. */
const scopeOf = ({ caller }: Pick<McpOptions, "caller">): string => `agent:${caller.actor}`;

/** A preview that tells the agents' own limits; throws where the plan could use more of a plan's or of the day's. */
export async function limited(preview: Preview, options: McpOptions): Promise<Preview> {
  const { uses, limits } = preview;
  const { most = new Map<string, Decimal>() } = options.settings;
  if (!uses || most.size === 0) return preview;
  const limit = most.get(uses.asset);
  const what = usesTold(uses);
  if (limit === undefined)
    throw forbidden(`${what}, and agents have no limit for it; a person can set EDGEMAKER_MCP_MOST`);
  if (uses.amount > limit)
    throw forbidden(`${what}; one plan of an agent may use ${text(limit)} (EDGEMAKER_MCP_MOST)`);
  const [used, day] = [await usedToday(options, uses.asset), dayLimit(options.settings, uses.asset)];
  if (day !== undefined && used + uses.amount > day) throw beyondDay(what, { used, day });
  const ofDay =
    day === undefined ? [] : [`${text(day - used)} ${uses.asset} are left of an agent's day (UTC)`];
  return {
    ...preview,
    limits: [...limits, `${what} of the ${text(limit)} that one plan of an agent may`, ...ofDay],
  };
}

/** Counts a plan that is about to be done against its token's day, once; throws where others have used that up. */
export async function countPlan({ uses }: Preview, options: McpOptions): Promise<void> {
  const { settings, deps } = options;
  if (!uses || !settings.most || settings.most.size === 0) return;
  const day = dayLimit(settings, uses.asset) ?? null;
  const use = { scope: scopeOf(options), asset: uses.asset, notional: uses.amount, most: day };
  if (await deps.store.useLimit(use)) return;
  const what = usesTold(uses);
  throw beyondDay(what, { used: await usedToday(options, uses.asset), day: day ?? ZERO });
}

const usesTold = ({ asset, amount, reason }: NonNullable<Preview["uses"]>): string =>
  `this could use ${text(amount)} ${asset}${reason ? ` (${reason})` : ""}`;

const dayLimit = ({ most, mostADay }: McpSettings, asset: string): Decimal | undefined =>
  mostADay?.get(asset) ?? most?.get(asset);

async function usedToday({ deps, ...options }: McpOptions, asset: string): Promise<Decimal> {
  const { now, uses } = await readUses(deps, scopeOf(options));
  return uses.find((use) => use.day === dayOf(now) && use.asset === asset)?.notional ?? ZERO;
}

const readUses = ({ store }: Deps, scope: string) =>
  store.readLimits({ scopes: [scope], account: "", actor: "" });

const forbidden = (message: string): AppError => new AppError("Forbidden", message);

const beyondDay = (what: string, { used, day }: { used: Decimal; day: Decimal }): AppError =>
  forbidden(
    `${what}; of the ${text(day)} that an agent's plans may use in a day (UTC) ${text(used)} are used (EDGEMAKER_MCP_MOST, EDGEMAKER_MCP_MOST_A_DAY)`,
  );
