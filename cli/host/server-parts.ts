/** Files that the build put next to the bundle: the page, and the page at /docs. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { checkAllAlarms } from "../../src/compose/alarm-checks.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { type Follower, followStreams } from "../../src/engine/pass/streams/follow.ts";
import { digest } from "../../src/kernel/digest.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import type { ActorAndRequest } from "../../src/model/events.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TokenStore } from "../../src/ports/stores/store.ts";
import type { Compress } from "../../src/transport/http.ts";
import type { Asset, PageFiles } from "../../src/transport/page.ts";
import type { Tracing } from "./open-telemetry.ts";
import { nodeLocal } from "./process/node-local.ts";
import { rounds } from "./running-servers.ts";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  webmanifest: "application/manifest+json",
};

const ENCODINGS = [
  ["br", "br"],
  ["gzip", "gz"],
] as const;

const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

const builtFile = (name: string) => new URL(name, import.meta.url);

const isAccepted = (encoding: string, accepted: string): boolean =>
  accepted
    .split(",")
    .some((part) => new RegExp(`^\\s*${encoding}\\s*(;\\s*q=(?!0(\\.0*)?\\s*$).*)?$`).test(part));

/** Returns a file, from memory after the first request. */
export const builtAsset: Asset = async (name, accepted = "") => {
  const type = TYPES[/^(?:page|swagger-ui)\/[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? ""];
  if (type === undefined || !existsSync(builtFile(name))) return undefined;
  const found = ENCODINGS.find(
    ([encoding, ending]) => isAccepted(encoding, accepted) && existsSync(builtFile(`${name}.${ending}`)),
  );
  return found
    ? { body: await content(`${name}.${found[1]}`), type, encoding: found[0] }
    : { body: await content(name), type };
};

const gzipped = promisify(gzip);

/** Compresses outside the main thread, at the fastest level: that already saves nine tenths of a list. */
export const compressedText: Compress = async (text, accepted = "") =>
  isAccepted("gzip", accepted)
    ? { body: new Uint8Array(await gzipped(text, { level: 1 })), encoding: "gzip" }
    : undefined;

/** Returns the names of the page's files in this build. */
export const builtPageFiles = async (): Promise<PageFiles> =>
  JSON.parse(new TextDecoder().decode(await content("page/files.json")));

function content(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = contents.get(name) ?? readFile(builtFile(name)).then((bytes) => new Uint8Array(bytes));
  contents.set(name, known);
  return known;
}

/** Delivers messages in the background, so passes never wait for a receiver. */
export function startDelivery(deps: Parameters<typeof checkAllAlarms>[0], interval: number) {
  const { notify, local, log, reports } = deps;
  if (!notify) return { stop: async () => undefined };
  return rounds(interval, async () => {
    await checkAllAlarms(deps).catch((error: unknown) =>
      log("warn", "the health check failed", { reason: messageOf(error) }),
    );
    await deliver({ notify, local, log, reports }).catch((error: unknown) =>
      log("warn", "messages could not be sent", { reason: messageOf(error) }),
    );
  });
}

/** Samples order books in the background, so nothing waits for a slow exchange. */
export function startSampling(deps: LiquidityDeps, interval: number) {
  if (!deps.liquidity) return { stop: async () => undefined };
  return rounds(interval, () =>
    sampleLiquidity(deps).catch((error: unknown) =>
      deps.log("warn", "no order book was sampled", { reason: messageOf(error) }),
    ),
  );
}

/** Maximum number of tokens to search for one that a killed server left. */
const MAX_TOKENS_READ = 1000;

/**
 * Lists a server's own token so it can be revoked. Revokes an older token of the same address, whose server must have
 * been killed. Returns a function that ends this one when the server stops.
 */
export async function listLocalToken(
  store: TokenStore,
  { token, url }: { readonly token: string; readonly url: string },
): Promise<() => Promise<void>> {
  const by: ActorAndRequest = { actor: "local", request: nodeLocal.randomText(12) };
  const server = `${url} on ${hostname()}`;
  for (const one of await store.tokens({ limit: MAX_TOKENS_READ }))
    if (one.server === server) await store.revokeToken(one.id, by);
  const id = `local_${nodeLocal.randomText(10)}`;
  const hash = await digest(token);
  const name = "commands on the server's own machine";
  await store.addToken({ id, name, server, scope: "admin", expiresAt: null, hash }, by);
  return async () => void (await store.revokeToken(id, by));
}

/** Follows the exchanges' streams in this process. Without `isOn` there are no streams, and every pass waits for its round. */
export function startStreams(deps: Deps, interval: number, isOn: boolean): Follower {
  const follower = followStreams({
    ...deps,
    streams: isOn ? deps.streams : undefined,
    // Its waits must not keep the process alive.
    local: { ...nodeLocal, sleep: (millis) => sleep(millis, undefined, { ref: false }) },
    random: Math.random,
    interval,
    async run(account) {
      const passes = await runRound(deps, {
        paceOf: (due) => (due === account ? follower.begin(due) : undefined),
      });
      follower.passed(passes);
      return passes[0];
    },
  });
  return follower;
}

/**
 * Returns whether OpenTelemetry's own variables request traces;
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables
 */
const isRequested = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none";

/** Loads OpenTelemetry only if it is requested. */
export const startTracing = async (env: NodeJS.ProcessEnv, version: string): Promise<Tracing | undefined> =>
  isRequested(env) ? (await import("./open-telemetry.ts")).openTelemetry(version) : undefined;
