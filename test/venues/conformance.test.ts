import { Miniflare } from "miniflare";
import type { ExchangePlace } from "../../src/adapters/ccxt/account/place.ts";
import { bundleWorkerScript } from "../support/venue-worker-bundle.ts";
import { adapterPlace, adapterVenue } from "./adapter.ts";
import { conformance } from "./conformance-suite.ts";
import { remoteVenue } from "./wire.ts";

conformance("the adapter on Node", async () => {
  const places = new Map<string, ExchangePlace>();
  return {
    venue(connection, clock) {
      const place = places.get(connection.url) ?? adapterPlace(connection, clock);
      places.set(connection.url, place);
      return adapterVenue(place, connection);
    },
    close: async () => {},
  };
});

conformance("the adapter in workerd", async () => {
  const worker = new Miniflare({
    modules: [{ type: "ESModule", path: await bundleWorkerScript() }],
    compatibilityDate: "2026-04-26",
    compatibilityFlags: ["nodejs_compat"],
    cf: false,
  });
  await worker.ready;
  return {
    venue: (connection, clock) =>
      remoteVenue(connection, clock, async (body) => {
        const answer = await worker.dispatchFetch("http://adapter/", { method: "POST", body });
        return answer.text();
      }),
    close: () => worker.dispose(),
  };
});
