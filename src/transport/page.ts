import type { Hono } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import { AppError } from "../kernel/errors.ts";
import type { Deps } from "../ports/deps.ts";
import { type Access, authenticate } from "./access.ts";
import { parseBody, readBody } from "./body.ts";
import { SAFE_HEADERS } from "./headers.ts";
import type { Variables } from "./http.ts";
import { createSignInLink, redeemSignInLink } from "./sign-in.ts";

/** Returns a file by name; undefined if the platform serves files itself, or if there is no such file. */
export type Asset = (
  name: string,
) => Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly type: string } | undefined>;

interface PageMounting {
  readonly deps: Deps;
  readonly access: Access;
  readonly asset?: Asset | undefined;
}

/** Content security policy: only the page's own files; no text can become a script, a style or a foreign address. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>edgemaker</title>
<link rel="icon" href="/static/page/icon.svg">
<link rel="stylesheet" href="/static/page/main.css">
<script type="module" src="/static/page/main.js"></script>
</head>
<body><div id="root"><header class="top"><b class="brand">edgemaker</b></header></div><noscript>This page needs JavaScript; the command line needs none.</noscript></body>
</html>
`;

/** Serves the page at `/`, its files, and what it needs besides the operations: its token's permissions. */
export function mountPage(app: Hono<{ Variables: Variables }>, { deps, access, asset }: PageMounting): void {
  app.get("/", (c) => {
    if (!(c.req.header("accept") ?? "").includes("text/html")) return c.notFound();
    c.header("content-security-policy", POLICY);
    c.header("cross-origin-opener-policy", "same-origin");
    return c.html(HTML);
  });

  app.use("/static/page/*", compress(), etag());
  app.get("/static/page/:name", async (c) => {
    const file = await asset?.(`page/${c.req.param("name")}`);
    if (!file) return c.notFound();
    c.header("content-type", file.type);
    // Requested again each time, so a page never uses an older release's code.
    c.header("cache-control", "no-cache");
    return c.body(file.body);
  });

  const callerOf = (header: string | undefined, vars: Variables) =>
    authenticate(header, access, { store: deps.store, ...vars });

  app.get("/api/v1/session", async (c) => {
    const { actor, scope } = await callerOf(c.req.header("authorization"), c.var);
    return c.json({ actor, scope }, 200, SAFE_HEADERS);
  });

  app.post("/api/v1/session", async (c) => {
    c.var.allowance.presentToken();
    const { code } = parseBody(await readBody(c.req.raw));
    const request = c.var.requestId;
    const token =
      typeof code === "string" ? await redeemSignInLink(code, deps, { access, request }) : undefined;
    if (token === undefined) {
      c.var.allowance.wrongToken();
      throw new AppError(
        "Unauthorized",
        "this link was used or revoked, or it has expired; `edgemaker page` prints a new one",
      );
    }
    return c.json({ token }, 200, SAFE_HEADERS);
  });

  app.post("/api/v1/session/code", async (c) => {
    const caller = await callerOf(c.req.header("authorization"), c.var);
    if (caller.scope !== "admin")
      throw new AppError("Forbidden", "creating sign-in links requires an admin token");
    return c.json({ code: await createSignInLink(deps, caller, c.var.requestId) }, 200, SAFE_HEADERS);
  });
}
