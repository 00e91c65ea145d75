import { contractSuite } from "../../contract/suite.ts";
import { edgeApp } from "../../support/edge.ts";

contractSuite("the contract, in workerd over a libSQL server", () => edgeApp());
