/** The adapter inside workerd, for the conformance suite: calls of the venue port come as POST bodies. */
import type { ExchangePlace } from "../../src/adapters/ccxt/account/place.ts";
import { adapterPlace, adapterVenue } from "../venues/adapter.ts";
import { answerCall, type Call, fromText } from "../venues/wire.ts";

let now = 0;
const places = new Map<string, ExchangePlace>();

export default {
  async fetch(request: Request): Promise<Response> {
    const call = fromText(await request.text()) as Call;
    now = call.now;
    const { url } = call.connection;
    const place = places.get(url) ?? adapterPlace(call.connection, () => now);
    places.set(url, place);
    return new Response(await answerCall(adapterVenue(place, call.connection), call));
  },
};
