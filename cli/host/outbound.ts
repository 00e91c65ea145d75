import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP } from "node:net";
import { lazy } from "../../src/kernel/lazy.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import {
  type LeadsInward,
  type OutboundAnswer,
  type Post,
  refusedAddress,
  secondsOf,
} from "../../src/ports/outbound.ts";

/** Addresses that messages must not reach: this machine, its network, and addresses that lead there (RFC 6890). */
const privateNets = lazy(() => {
  const list = new BlockList();
  for (const [net, bits] of [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 3],
  ] as const)
    list.addSubnet(net, bits, "ipv4");
  for (const [net, bits] of [
    ["::", 96],
    ["64:ff9b::", 96],
    ["2002::", 16],
    ["fc00::", 7],
    ["fe80::", 10],
    ["ff00::", 8],
  ] as const)
    list.addSubnet(net, bits, "ipv6");
  return list;
});

export const isPrivate = (address: string): boolean =>
  privateNets().check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

type Resolve = (
  host: string,
  options: object,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Sends a request with Node, and checks the address of every connection, because a name can resolve differently each
 * time.
 */
export const nodePost =
  (named: readonly string[], resolve: Resolve = resolveAll): Post =>
  async (message, timeout) => {
    const url = new URL(message.url);
    const refused = refusedAddress(url, named);
    if (refused !== undefined) throw new Error(refused);
    // Loaded only when something is sent, which most commands never do.
    const body = typeof message.body === "string" ? new TextEncoder().encode(message.body) : message.body;
    const { request } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
    return new Promise<OutboundAnswer>((done, failed) => {
      const isNamed = named.includes(url.host);
      const options = {
        method: message.method ?? "POST",
        headers: {
          ...message.headers,
          "content-length": String(body.length),
        },
        signal: AbortSignal.timeout(timeout),
        agent: false as const,
        ...(isNamed ? {} : { lookup: publicLookup(resolve) }),
      };
      const made = request(url, options, (response) => {
        const { statusCode: status = 0, headers } = response;
        let text = "";
        response.setEncoding("utf8");
        const end = () =>
          done({ status, text: plainText(text, 200), retryAfterSeconds: secondsOf(headers["retry-after"]) });
        response.on("data", (part: string) => {
          text += part;
          if (text.length < MAX_RESPONSE_TEXT_BYTES) return;
          end();
          response.destroy();
        });
        response.on("end", end);
        // An accepted message stays accepted, even if the rest of the response is lost.
        response.on("error", end);
      });
      made.on("error", failed);
      made.end(body);
    });
  };

const MAX_RESPONSE_TEXT_BYTES = 16_384;

const resolveAll: Resolve = (host, options, report) => lookup(host, { ...options, all: true }, report);

/** Replaces Node's lookup: fails if any of a name's addresses is private. */
const publicLookup =
  (resolve: Resolve) =>
  (
    host: string,
    options: { readonly all?: boolean | undefined },
    report: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ) =>
    resolve(host, options, (error, addresses) => {
      const [first] = addresses ?? [];
      const found = error ?? (first ? privateRefusal(host, addresses) : new Error(`${host} has no address`));
      if (found || !first) report(found, "");
      else if (options.all) report(null, [...addresses]);
      else report(null, first.address, first.family);
    });

const LOOKUP_TIME = 3000;

/** Resolves a name with a time limit, because a person waits. Each message resolves it again. */
export const leadsInward =
  (resolve: Resolve = resolveAll): LeadsInward =>
  (host) =>
    new Promise((done) => {
      const late = setTimeout(() => done(undefined), LOOKUP_TIME);
      resolve(host, {}, (_error, addresses) => {
        clearTimeout(late);
        done(privateRefusal(host, addresses ?? [])?.message);
      });
    });

/** Throws if any of a name's addresses is private. */
export function refusePrivate(host: string, addresses: readonly { readonly address: string }[]): void {
  const refused = privateRefusal(host, addresses);
  if (refused) throw refused;
}

const privateRefusal = (host: string, addresses: readonly { readonly address: string }[]): Error | null =>
  addresses.some(({ address }) => isPrivate(address))
    ? new Error(`${host} resolves to a private address; to allow it, add it to EDGEMAKER_OUTBOUND_HOSTS`)
    : null;
