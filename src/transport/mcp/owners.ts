import { AppError } from "../../kernel/errors.ts";
import { byOf } from "../../model/events.ts";
import type { Call, PreparedCall } from "../../operation.ts";
import type { McpOptions } from "./options.ts";

/**
 * Returns text about others' strategies that a call changes. Throws AppError if the settings allow an agent to change
 * only strategies that it started.
 */
export async function ownerTexts(
  { strategies }: Pick<PreparedCall, "strategies">,
  call: Call,
  { deps, settings }: Pick<McpOptions, "deps" | "settings">,
): Promise<readonly string[]> {
  const ids = typeof strategies === "function" ? await strategies() : strategies;
  const texts: string[] = [];
  for (const id of ids) {
    const starter = await deps.store.starterOf(id);
    if (starter === byOf(call).actor) continue;
    const what = `${id} was started by ${starter ?? "another caller"}`;
    if (settings.strategies !== "all")
      throw new AppError(
        "Forbidden",
        `${what}, and agents can only change strategies that they started; a person can set EDGEMAKER_MCP_STRATEGIES=all`,
      );
    texts.push(`this changes a strategy of another caller: ${what}`);
  }
  return texts;
}
