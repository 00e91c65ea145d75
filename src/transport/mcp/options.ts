import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Decimal } from "../../kernel/decimal.ts";
import type { Scope } from "../../model/token.ts";
import type { Operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";

/** What the operator's settings allow. */
export interface McpSettings {
  /** Whether tools that trade are there at all. */
  readonly trading: boolean;
  /**
   * `terminal`: a person approves each plan. `plan`: its id is enough to commit it. Without a value, a person approves
   * plans on live exchanges only.
   */
  readonly confirm?: "plan" | "terminal" | undefined;
  /** The most that one plan may use, by quote asset; all there is where none is set. */
  readonly most?: ReadonlyMap<string, Decimal>;
  /** The most that all plans of one token may use in a day of UTC; as much as one plan where none is set. */
  readonly mostADay?: ReadonlyMap<string, Decimal>;
  /** Which strategies plans change: those that the same token's agent has started, or all; `own` where it is left out. */
  readonly strategies?: "own" | "all";
}

/** Whether a person has to approve each plan before its commit. */
export const needsApproval = ({ settings, deps }: Pick<McpOptions, "settings" | "deps">): boolean =>
  settings.confirm === undefined
    ? deps.exchanges.some(({ kind }) => kind !== "sandbox")
    : settings.confirm === "terminal";

export interface McpOptions {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  /** All tools that there are, as they are listed. */
  readonly tools: () => Promise<readonly Tool[]>;
  readonly settings: McpSettings;
  /** `key` tells one token from another: a plan is committed only by the one that was shown it. */
  readonly caller: { readonly actor: string; readonly scope: Scope; readonly key: string };
  /** Tells the requests of two clients with one token apart; undefined where a process has one client. */
  readonly session?: string | undefined;
  readonly version: string;
  /** Aborts when the client of an HTTP request has left; absent on standard input. */
  readonly left?: AbortSignal | undefined;
}
