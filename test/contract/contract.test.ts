import { testApp } from "../support/app.ts";
import { contractSuite } from "./suite.ts";

contractSuite("the contract, over the sandbox", testApp);
