import { Miniflare } from "miniflare";
import type { ExchangeLink } from "../../src/adapters/ccxt/account/exchange-link.ts";
import { bundleWorkerScript } from "../support/venue-worker-bundle.ts";
import { adapterLink, adapterVenue } from "./adapter.ts";
import { conformance } from "./conformance-suite.ts";
import { remoteVenue } from "./wire.ts";

conformance("the adapter on Node", async () => {
  const links = new Map<string, ExchangeLink>();
  return {
    venue(connection, clock) {
      const link = links.get(connection.url) ?? adapterLink(connection, clock);
      links.set(connection.url, link);
      return adapterVenue(link, connection);
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
