import type { Hono } from "hono";
import { digest } from "../kernel/digest.ts";
import { AppError } from "../kernel/errors.ts";
import { LINK_LIFE, newToken, SIGN_IN_LIFE } from "../model/token.ts";
import type { Deps } from "../ports/deps.ts";
import { type Access, authenticate, type Caller, callerByHash } from "./access.ts";
import { parseBody, readBody } from "./body.ts";
import { isAllSimulated, refuseUnknown, safeHeaders, type Variables } from "./http.ts";

interface AssetFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** `br` or `gzip` if the body is compressed. */
  readonly encoding?: string | undefined;
}

/**
 * Returns a file by name, in an encoding of the request's Accept-Encoding; undefined if the platform serves files itself,
 * or if there is no such file.
 */
export type Asset = (name: string, accepted?: string) => Promise<AssetFile | undefined>;

/** Names of the page's files, which contain a hash of their content. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

const UNHASHED: PageFiles = { script: "main.js", style: "main.css" };

interface PageMounting {
  readonly deps: Deps;
  readonly access: Access;
  readonly asset?: Asset | undefined;
  /** Returns the names of the page's files in this build. */
  readonly pageFiles?: (() => Promise<PageFiles>) | undefined;
}

/** Content security policy: only the page's own files; no text can become a script, a style or a foreign address. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const htmlOf = ({ script, style }: PageFiles) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>edgemaker</title>
<link rel="icon" href="static/page/icon.svg">
<link rel="apple-touch-icon" href="static/page/icon.png">
<link rel="manifest" href="static/page/app.webmanifest" crossorigin="use-credentials">
<link rel="stylesheet" href="static/page/${style}">
<script type="module" src="static/page/${script}"></script>
</head>
<body><div id="root"><header class="top"><b class="brand">edgemaker</b></header></div><noscript>This page needs JavaScript; the command line needs none.</noscript></body>
</html>
`;

/** Serves the page at `/`, its files, and what it needs besides the operations: its token's permissions. */
export function mountPage(
  app: Hono<{ Variables: Variables }>,
  { deps, access, asset, pageFiles }: PageMounting,
): void {
  app.get("/", async (c) => {
    if (!(c.req.header("accept") ?? "").includes("text/html")) return c.notFound();
    c.header("content-security-policy", POLICY);
    c.header("cross-origin-opener-policy", "same-origin");
    // Requested again each time, so it names the files of this release.
    c.header("cache-control", "no-cache");
    return c.html(htmlOf((await pageFiles?.()) ?? UNHASHED));
  });

  app.get("/static/page/:name", async (c) => {
    const name = c.req.param("name");
    const file = await asset?.(`page/${name}`, c.req.header("accept-encoding"));
    if (!file) return c.notFound();
    c.header("content-type", file.type);
    c.header("vary", "accept-encoding");
    if (file.encoding !== undefined) c.header("content-encoding", file.encoding);
    // A name with a hash never gets other content.
    const isHashed = name.startsWith("main-");
    c.header("cache-control", `public, max-age=${isHashed ? "31536000, immutable" : "86400"}`);
    if (name === "page-worker.js") {
      c.header("cache-control", "no-cache");
      // The page is two folders above it.
      c.header("service-worker-allowed", "../../");
    }
    return c.body(file.body);
  });

  const callerOf = (header: string | undefined, vars: Variables) =>
    authenticate(header, access, { store: deps.store, ...vars });

  app.get("/api/v1/session", async (c) => {
    const { actor, scope } = await callerOf(c.req.header("authorization"), c.var);
    refuseUnknown(c.req.query(), []);
    return c.json(
      { actor, scope, mode: isAllSimulated(deps) ? "simulated" : "real" },
      200,
      safeHeaders(c.var.requestId),
    );
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
    return c.json({ token }, 200, safeHeaders(c.var.requestId));
  });

  app.post("/api/v1/session/code", async (c) => {
    const caller = await callerOf(c.req.header("authorization"), c.var);
    if (caller.scope !== "admin")
      throw new AppError("Forbidden", "creating sign-in links requires an admin token");
    return c.json(
      { code: await createSignInLink(deps, caller, c.var.requestId) },
      200,
      safeHeaders(c.var.requestId),
    );
  });
}

type SignInDeps = Pick<Deps, "store" | "local">;

/** Stores a sign-in link and returns its code: 50 characters of [0-9a-z]. It allows one sign-in within ten minutes. */
export async function createSignInLink(
  { store, local }: SignInDeps,
  { actor, key }: Pick<Caller, "actor" | "key">,
  request: string | null,
): Promise<string> {
  const code = local.randomText(50);
  const expiresAt = (await store.now()) + LINK_LIFE;
  const link = {
    id: `link_${local.randomText(10)}`,
    name: `sign-in link of ${actor}`,
    scope: "link",
  } as const;
  await store.addToken({ ...link, hash: await digest(code), expiresAt, maker: key }, { actor, request });
  return code;
}

/**
 * Redeems a link's code for a new token with its creator's scope. The token ends after a day, or with its creator.
 * Returns undefined for a wrong, used or expired code.
 */
async function redeemSignInLink(
  code: string,
  { store, local }: SignInDeps,
  { access, request }: { readonly access: Access; readonly request: string },
): Promise<string | undefined> {
  const reading = { store, writes: true };
  const link = await store.tokenByHash(await digest(code), reading.writes);
  if (link?.scope !== "link" || link.maker === null) return undefined;
  const maker = await callerByHash(link.maker, access, reading);
  if (!maker) return undefined;
  const { expiresAt } = (await store.tokenByHash(link.maker, reading.writes)) ?? {};
  const latest = (await store.now()) + SIGN_IN_LIFE;
  const token = newToken(local);
  const signIn = {
    id: `tok_${local.randomText(10)}`,
    name: `signed in by a link of ${maker.actor}`,
    scope: maker.scope,
    hash: await digest(token),
    expiresAt: Math.min(latest, expiresAt ?? latest),
    maker: link.maker,
  };
  return (await store.redeemLink(link.id, signIn, { actor: link.id, request })) ? token : undefined;
}
