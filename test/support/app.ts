import { type AppOptions, createApp } from "../../src/app.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { digest } from "../../src/kernel/digest.ts";
import type { Scope } from "../../src/model/token.ts";
import { createOperations } from "../../src/operations.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { TokenStore } from "../../src/ports/stores/store.ts";
import { type Access, createLimiter } from "../../src/transport/access.ts";
import type { Compress } from "../../src/transport/http.ts";
import type { McpSettings } from "../../src/transport/mcp/plans.ts";
import { madeDocuments } from "../../src/transport/openapi.ts";
import { BY } from "./by.ts";
import { canary } from "./canary.ts";
import { heard } from "./heard.ts";
import { EXCHANGES, type TestSandbox, testSandbox } from "./sandbox.ts";

/** The service as a client sees it. */
export interface Target {
  /** A path from the root of the server. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  readonly tokens: Readonly<Record<Scope, string>>;
}

type Rates = Pick<AppOptions, "limiter" | "addressOf">;

/** As a server that is asked on its own machine. */
const LOCAL: Rates = {
  limiter: createLimiter(parseConfig({}).rateLimits, () => performance.now()),
  addressOf: () => "127.0.0.1",
};

/** The app over a real store and sandbox, asked without a socket. */
export async function testApp({
  connect = (deps) => deps,
  mcp,
  rates,
  ...options
}: TestSandbox & {
  readonly connect?: (deps: Deps) => Deps;
  readonly mcp?: McpSettings;
  readonly rates?: Rates;
} = {}) {
  const box = await testSandbox({ realTime: true, ...options });
  const deps = connect(box.deps);
  await addTokens(deps.store);
  return { ...box, deps, ...servedOver(deps, { mcp, rates, kinds: options.kinds }) };
}

export const TOKENS = {
  read: `em_${canary("read")}`,
  trade: `em_${canary("trade")}`,
  admin: `em_${canary("admin")}`,
  agent: `em_${canary("agent")}`,
} as const;

/** Stores the tokens that are not the operator's own. */
export async function addTokens(store: TokenStore): Promise<void> {
  for (const scope of ["read", "trade", "agent"] as const) {
    const hash = await digest(TOKENS[scope]);
    await store.addToken({ id: `tok_${scope}`, name: scope, scope, expiresAt: null, hash }, BY);
  }
}

type Served = Target & { readonly app: ReturnType<typeof createApp> };

export async function appOver(deps: Deps, mcp?: McpSettings, rates?: Rates): Promise<Served> {
  await addTokens(deps.store);
  return servedOver(deps, { mcp, rates });
}

/** Asks a server as an administrator. */
export const adminAsks =
  ({ ask, tokens }: Pick<Served, "ask" | "tokens">) =>
  async <T>(method: string, where: string, sent?: object): Promise<T> => {
    const response = await ask(`/api/v1${where}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    });
    return (await response.json()) as T;
  };

/** Another server over a database whose tokens exist already. */
export function servedOver(
  deps: Deps,
  {
    mcp = { trading: false, confirm: "plan" },
    rates = LOCAL,
    access = {},
    kinds,
    definitions = [],
    compress,
  }: {
    readonly mcp?: McpSettings | undefined;
    readonly rates?: Rates | undefined;
    readonly access?: Partial<Access>;
    readonly kinds?: readonly Kind[] | undefined;
    readonly definitions?: StrategyDefinitions;
    readonly compress?: Compress;
  } = {},
): Served {
  const tokens = TOKENS;
  const operations = createOperations(EXCHANGES, definitions, kinds);
  const app = createApp({
    deps,
    operations,
    documents: madeDocuments(operations, "0.0.0-test"),
    access: { adminTokens: [tokens.admin], allowedHosts: ["grid.example"], checkHost: true, ...access },
    ...rates,
    mcp,
    version: "0.0.0-test",
    instance: "test",
    ...(compress ? { compress } : {}),
  });
  const ask: Target["ask"] = async (path, init) =>
    heard(path, await app.request(`http://localhost${path}`, withHost(init)));
  return { app, tokens, ask };
}

// A socket would carry the Host header; a Request made by hand has none of its own.
function withHost(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  if (!headers.has("host")) headers.set("host", "localhost");
  return { ...init, headers };
}
