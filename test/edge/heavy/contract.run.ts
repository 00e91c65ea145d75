import { AS_PASSES_GO } from "../../../src/adapters/sandbox/market-clock.ts";
import { contractSuite } from "../../contract/suite.ts";
import { edgeApp } from "../../support/edge.ts";

// In a market that moves with the clock an order fills between two requests of a slow machine.
contractSuite("the contract, in workerd over a libSQL server", () =>
  edgeApp({}, { sandbox: { speed: AS_PASSES_GO } }),
);
