import { AS_PASSES_GO } from "../../src/adapters/sandbox/market-clock.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { testApp } from "../support/app.ts";
import { contractSuite } from "./suite.ts";

// In a market that moves with the clock an order fills between two requests of a slow machine.
contractSuite("the contract, over the sandbox", async () => {
  const app = await testApp({ realTime: false, speed: AS_PASSES_GO });
  return {
    ...app,
    ask(path, init) {
      app.time.pass(SECOND);
      return app.ask(path, init);
    },
  };
});
