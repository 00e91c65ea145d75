import { contractSuite } from "../contract/suite.ts";
import { edgeApp } from "../support/edge.ts";
import { liveAccounts } from "../support/edge-live.ts";
import { irisPool, startIris } from "../venues/iris.ts";

const POOLS = [
  irisPool("INDY", { ada: 400_000, price: 2 }),
  irisPool("SNEK", { ada: 900_000, price: 0.004, decimals: 0 }),
  irisPool("NIGHT", { ada: 300_000, price: 0.1 }),
  irisPool("MIN", { ada: 200_000, price: 0.05 }),
];

contractSuite("the contract, in workerd over a libSQL server and four emulated exchanges", async () => {
  const accounts = await liveAccounts(1);
  const iris = await startIris(POOLS);
  const urls = `${accounts.settings.EDGEMAKER_VENUE_URLS},iris=${iris.url}`;
  const app = await edgeApp({
    ...accounts.settings,
    EDGEMAKER_SANDBOX: "0",
    EDGEMAKER_VENUE_URLS: urls,
    // A machine asks as fast as it can, and slower than it can wait.
    EDGEMAKER_RATE_LIMIT: "address=9999,token=9999,burst=9999,outbound=9999",
    EDGEMAKER_READ_TIMEOUT_MILLIS: "120000",
  });
  return {
    ...app,
    async close() {
      await app.close();
      iris.close();
      await accounts.close();
    },
  };
});
