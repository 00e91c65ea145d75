import { swaggerUI } from "@hono/swagger-ui";
import { type Context, Hono } from "hono";
import { passProblemsWatch } from "./grid/operations/status.ts";
import { AppError, messageOf, StoreError } from "./kernel/errors.ts";
import { SECOND } from "./kernel/time.ts";
import { CONTENT_TYPE, readMetrics } from "./metrics/operations/metrics.ts";
import type { Operation } from "./operation.ts";
import type { Build } from "./ports/definition.ts";
import type { Deps } from "./ports/deps.ts";
import { type Access, authenticate, authorize, type Limiter } from "./transport/access.ts";
import type { Documents } from "./transport/documents.ts";
import {
  allowOrigins,
  createEntrance,
  type Entrance,
  EVERY_PATH,
  METHODS,
  tracedRequests,
} from "./transport/entrance.ts";
import { mountEvents, type Streaming } from "./transport/events.ts";
import {
  type Compress,
  mountOperations,
  respond,
  respondError,
  urgentRoutes,
  type Variables,
} from "./transport/http.ts";
import { MCP_ROUTE, mountMcp } from "./transport/mcp/mount.ts";
import type { McpSettings } from "./transport/mcp/plans.ts";
import { type Asset, mountPage, type PageFiles } from "./transport/page.ts";

export interface AppOptions {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  readonly documents: Documents;
  readonly access: Access;
  readonly limiter: Limiter;
  /** Returns the address of a request as the platform knows it, never as the client claims it. */
  readonly addressOf: (c: Context) => string | undefined;
  readonly mcp: McpSettings;
  readonly version: string;
  /** Default: the version alone. */
  readonly build?: Build;
  /** Id of the process, so a client can tell which process it has reached. */
  readonly instance: string;
  /** Proves knowledge of the local token to its commands, which check that before they send the token. */
  readonly prove?: (challenge: string) => string;
  /** How to stream responses on this platform. */
  readonly streaming?: Streaming;
  /** Returns a file of the page by folder and name; absent if the platform serves files itself. */
  readonly asset?: Asset;
  /** Compresses long responses; absent if the platform does so itself. */
  readonly compress?: Compress;
  /** Returns the names of the page's files in this build. */
  readonly pageFiles?: () => Promise<PageFiles>;
  /** Default: Hono's standard router, which builds an index of all routes before the first request. */
  readonly router?: HonoApp["router"];
}

const isReported = (text: string | undefined): text is string => text !== undefined;

const CHALLENGE = /^[0-9a-z]{16,64}$/;

/** Creates the whole service on Fetch primitives; it is the same on every runtime. */
export function createApp({
  deps,
  operations,
  documents,
  access,
  limiter,
  addressOf,
  mcp,
  version,
  build = { version, commit: null },
  instance,
  prove,
  streaming = { every: SECOND },
  asset,
  compress,
  pageFiles,
  router,
}: AppOptions) {
  const { origins = [] } = access;
  const urgent = new Set([...urgentRoutes(operations), MCP_ROUTE]);
  const entrance = createEntrance({ local: deps.local, access, limiter, addressOf, urgent });
  const app: HonoApp = new Hono<{ Variables: Variables }>();
  app.router = entrance.routing(router ?? app.router);

  if (deps.tracer) app.use(tracedRequests(deps.tracer));
  if (deps.tracer || origins.length > 0) app.use(entrance.middleware);
  if (origins.length > 0) app.use(allowOrigins(origins));

  app.get("/health", (c) => {
    const challenge = c.req.query("challenge") ?? "";
    const proof = CHALLENGE.test(challenge) ? prove?.(challenge) : undefined;
    const body = { status: "ok", version, instance, ...(proof === undefined ? {} : { proof }) };
    return respond({ status: 200, body }, c.var.requestId);
  });
  app.get("/version", (c) => respond({ status: 200, body: build }, c.var.requestId));
  mountReady(app, deps);
  app.get("/metrics", async (c) => {
    const caller = await authenticate(c.req.header("authorization"), access, { store: deps.store, ...c.var });
    authorize(caller, { effect: "read" });
    const output = await readMetrics(deps, version);
    return output === undefined ? c.notFound() : c.body(output, 200, { "content-type": CONTENT_TYPE });
  });

  mountDocuments(app, { documents, asset, deps });
  mountEvents(app, { deps, access, streaming });
  mountPage(app, { deps, access, asset, pageFiles });
  mountOperations(app, operations, { deps, access, addressOf, compress });
  mountMcp(app, { deps, operations, tools: documents.tools, access, settings: mcp, version });

  answerFailures(app, deps, entrance);
  return app;
}

type HonoApp = Hono<{ Variables: Variables }>;

/** Adds `/ready`: 503 with the reasons if the service cannot work. */
function mountReady(app: HonoApp, deps: Deps): void {
  const watched = passProblemsWatch(deps);
  app.get("/ready", async (c) => {
    await deps.store.ready();
    const troubles = [...((await deps.keys?.troubles()) ?? []), await watched()].filter(isReported);
    if (troubles.length > 0) throw new AppError("Not ready", troubles.join("; "));
    return c.json({ status: "ready" });
  });
}

/** Adds the OpenAPI document and a page that shows it. */
function mountDocuments(
  app: HonoApp,
  { documents, asset, deps }: Pick<AppOptions, "documents" | "deps"> & { readonly asset: Asset | undefined },
): void {
  app.get("/openapi.json", async (c) =>
    c.body(await documents.openApi(), 200, { "content-type": "application/json" }),
  );

  const page = swaggerUI({ url: "openapi.json", baseUrl: "static", title: "edgemaker API" });
  app.get("/docs", async (c) => {
    const nonce = deps.local.randomText(22);
    c.header(
      "content-security-policy",
      `default-src 'none'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    const html = await (await page(c as never, async () => {}))?.text();
    // Without an icon, a browser requests /favicon.ico and logs an error.
    const icon = '<link rel="icon" href="static/page/icon.svg"></head>';
    return c.html((html ?? "").replace("<script>", `<script nonce="${nonce}">`).replace("</head>", icon));
  });
  app.get("/static/swagger-ui-dist/:name", async (c) => {
    const file = await asset?.(`swagger-ui/${c.req.param("name")}`);
    if (!file) return c.notFound();
    c.header("content-type", file.type);
    c.header("cache-control", "public, max-age=86400");
    return c.body(file.body);
  });
}

/** Returns the methods of a path; none for an unknown path. */
function methodsOf({ router }: HonoApp, path: string): readonly string[] {
  const methods = [...METHODS].filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.path !== EVERY_PATH),
  );
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/** Answers unknown paths and failures; only programming errors are logged with a stack. */
function answerFailures(app: HonoApp, deps: Deps, entrance: Entrance): void {
  app.notFound((c) => {
    entrance.take(c, false);
    const { method, path } = c.req;
    const allowed = methodsOf(app, path);
    // A known path without a handler for this method; otherwise the handler found nothing.
    if (allowed.length === 0 || allowed.includes(method))
      return respondError(
        new AppError("Not found", `there is no endpoint ${method} ${path}`),
        c.var.requestId,
      );
    const allow = allowed.join(", ");
    const refused = new AppError("Method not allowed", `${path} has no ${method}; it has ${allow}`, {
      allow,
    });
    return respondError(refused, c.var.requestId);
  });
  app.onError((error, c) => {
    const { requestId } = c.var;
    if (error instanceof AppError) return respondError(error, requestId);
    if (error instanceof StoreError && c.req.path === "/ready")
      return respondError(new AppError("Not ready", error.message), requestId);
    deps.log("error", messageOf(error), { requestId, path: c.req.path, stack: error.stack });
    return respondError(
      new AppError("Internal error", "something went wrong on our side; the log has the request id"),
      requestId,
    );
  });
}
