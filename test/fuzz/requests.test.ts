import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import { openApi } from "../../src/transport/openapi.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { wrongWith } from "./judging.ts";
import { type Document, type Request, requestsOf } from "./requests.ts";

/** `npm run fuzz` makes 100,000 over a socket; these are few, without one. */
const RUNS = Number(process.env.EDGEMAKER_FUZZ ?? 1500);
/** Processor time of one request, in that of a plain read beside it. */
const MOST_READS = 50;

const PLAIN: Request = {
  operation: "GET /ticker",
  method: "GET",
  path: "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT",
  headers: {},
  body: undefined,
};

async function service() {
  const app = await testApp();
  const send = ({ method, path, headers, body }: Request) =>
    app.ask(path, {
      method,
      headers: { ...bearer(app.tokens.admin), "content-type": "application/json", ...headers },
      ...(body === undefined || method === "GET" ? {} : { body }),
    });
  /** Processor milliseconds until the answer is whole. */
  const cost = async (request: Request): Promise<number> => {
    const before = process.cpuUsage();
    const answer = await send(request);
    await answer.text();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return { send, cost };
}

const document = openApi(createOperations(EXCHANGES), "0") as unknown as Document;

describe("requests made from the OpenAPI document", () => {
  it("have an answer that the contract knows, whatever is in them", async () => {
    const { send } = await service();
    await fc.assert(
      fc.asyncProperty(requestsOf(document), async (request) => {
        const answer = await send(request);
        expect(wrongWith(request, answer.status, await answer.text())).toBeUndefined();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  // What starts grids or steps them does more the more of them there are: here it is the input that counts.
  it("take no longer to think about than some plain reads", async () => {
    const { cost } = await service();
    const reads: number[] = [];
    for (let read = 0; read < 60; read++) reads.push(await cost(PLAIN));
    const plain = median(reads.slice(20));
    const isAsked = (operation: string) => !/tick|approve|refuse/.test(operation);
    await fc.assert(
      fc.asyncProperty(requestsOf(document, isAsked), async (request) => {
        // Whatever else the machine does counts for it, so the best of several is its own.
        let [least, tries] = [Number.POSITIVE_INFINITY, 0];
        while (tries++ < 5 && least > MOST_READS * plain) least = Math.min(least, await cost(request));
        expect({ operation: request.operation, reads: Math.round(least / plain) }).toSatisfy(
          (told: { reads: number }) => told.reads <= MOST_READS,
        );
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
