import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { most } from "../support/whole.ts";
import { wrongWith } from "./judging.ts";
import { type Document, type Request, requestsOf } from "./requests.ts";

/** `npm run fuzz` makes 100,000 over a socket; these are few, without one. */
const RUNS = Number(process.env.EDGEMAKER_FUZZ ?? most(1500, 400));

async function service() {
  const app = await testApp();
  const send = ({ method, path, headers, body }: Request) =>
    app.ask(path, {
      method,
      headers: { ...bearer(app.tokens.admin), "content-type": "application/json", ...headers },
      ...(body === undefined || method === "GET" ? {} : { body }),
    });
  return { send };
}

const document = openApi(createOperations(EXCHANGES), "0") as unknown as Document;

describe("requests generated from the OpenAPI document", () => {
  it("get a response that the contract defines, whatever they contain", async () => {
    const { send } = await service();
    await fc.assert(
      fc.asyncProperty(requestsOf(document), async (request) => {
        const answer = await send(request);
        expect(wrongWith(request, answer.status, await answer.text())).toBeUndefined();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
