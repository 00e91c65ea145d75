import { AppError } from "../../errors.ts";
import { text } from "../../kernel/decimal.ts";
import type { Preview } from "../../plan-records.ts";
import type { McpSettings } from "./server.ts";

/** A preview that tells the agents' own limit; throws where the plan could use more, or of what no limit is set. */
export function limited(preview: Preview, { most = new Map() }: McpSettings): Preview {
  const { uses, limits } = preview;
  if (!uses || most.size === 0) return preview;
  const limit = most.get(uses.asset);
  const what = `this could use ${text(uses.amount)} ${uses.asset}`;
  if (limit === undefined)
    throw new AppError(
      "Forbidden",
      `${what}, and agents have no limit for it; a person can set EDGEMAKER_MCP_MOST`,
    );
  if (uses.amount > limit)
    throw new AppError(
      "Forbidden",
      `${what}; one plan of an agent may use ${text(limit)} (EDGEMAKER_MCP_MOST)`,
    );
  return { ...preview, limits: [...limits, `${what} of the ${text(limit)} that one plan of an agent may`] };
}
