/** The adapter inside workerd, for the conformance suite: calls of the venue port come as POST bodies. */
import type { ExchangeLink } from "../../src/adapters/ccxt/account/exchange-link.ts";
import { adapterLink, adapterVenue } from "../venues/adapter.ts";
import { answerCall, type Call, fromText } from "../venues/wire.ts";

let now = 0;
const links = new Map<string, ExchangeLink>();

export default {
  async fetch(request: Request): Promise<Response> {
    const call = fromText(await request.text()) as Call;
    now = call.now;
    const { url } = call.connection;
    const link = links.get(url) ?? adapterLink(call.connection, () => now);
    links.set(url, link);
    return new Response(await answerCall(adapterVenue(link, call.connection), call));
  },
};
