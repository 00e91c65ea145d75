import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { Decimal } from "../../kernel/decimal.ts";
import type { Scope } from "../../model/token.ts";
import type { Operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";

/** What the operator's settings allow. */
export interface McpSettings {
  /** Whether tools that trade are available. */
  readonly trading: boolean;
  /**
   * `terminal`: a person approves each plan. `plan`: its id is enough to commit it. Without a value, a person
   * approves only plans on live exchanges.
   */
  readonly confirm?: "plan" | "terminal" | undefined;
  /** Maximum of one plan by quote asset; unlimited if not set. */
  readonly most?: ReadonlyMap<string, Decimal>;
  /** Maximum of all plans of one token per UTC day; default: the maximum of one plan. */
  readonly mostADay?: ReadonlyMap<string, Decimal>;
  /** Strategies that plans can change: `own`, those that the same token's agent started (default), or `all`. */
  readonly strategies?: "own" | "all";
}

/** Returns whether a person must approve each plan before its commit. */
export const needsApproval = ({ settings, deps }: Pick<McpOptions, "settings" | "deps">): boolean =>
  settings.confirm === undefined
    ? deps.exchanges.some(({ kind }) => kind !== "sandbox")
    : settings.confirm === "terminal";

export interface McpOptions {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  /** Returns all tools for the list. */
  readonly tools: () => Promise<readonly Tool[]>;
  readonly settings: McpSettings;
  /** `key` identifies the token: only the token that got a plan can commit it. */
  readonly caller: { readonly actor: string; readonly scope: Scope; readonly key: string };
  /** Returns whether the caller's token is still valid; absent for standard input, which has none. */
  readonly isTokenValid?: () => Promise<boolean>;
  /** Distinguishes the requests of two clients with one token; undefined if a process has one client. */
  readonly session?: string | undefined;
  readonly version: string;
  /** Aborts when the client of an HTTP request disconnects; absent for standard input. */
  readonly left?: AbortSignal | undefined;
}
