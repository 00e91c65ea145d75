import { describe, expect, it } from "vitest";
import { formatRefusal } from "../../src/adapters/ccxt/client/quirks.ts";
import { routeOf } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { serve } from "../support/command.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

/** What every object of the language has: names that a careless look-up finds. */
const NAMES = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "__defineGetter__"];

const query = NAMES.map((name) => `${name}=1`).join("&");

describe("names that every object inherits", () => {
  it("are unknown query fields in every operation", async () => {
    const app = await testApp();
    for (const operation of createOperations(EXCHANGES)) {
      const { method, path } = routeOf(operation);
      const request = path.replace(/:(\w+)/g, "x");
      const init = { method, headers: { ...bearer(app.tokens.admin), "content-type": "application/json" } };
      const named = await app.ask(`/api/v1${request}?${query}`, init);
      const result = (await named.json()) as { error?: string };
      expect(result.error, operation.name).not.toBe("Internal error");
      expect([operation.name, [400, 403].includes(named.status)]).toEqual([operation.name, true]);
    }
  });

  it.each(["constructor", "__proto__", "toString"])(
    "are not files of the documentation: %s",
    async (name) => {
      const server = await serve(tempFolder(), ["--sandbox", "--tick-interval", "60000"]);
      expect((await server.ask(`/static/swagger-ui-dist/${name}`)).status).toBe(404);
      expect((await server.ask("/static/swagger-ui-dist/swagger-ui.css")).status).toBe(200);
    },
  );

  it.each(NAMES)("are unknown error codes of an exchange: %s", (name) => {
    const codes: Readonly<Record<string, never>> = {};
    const callFailure = formatRefusal({ status: 400, code: name, message: "no" }, codes[name]);
    expect(callFailure).toMatchObject({ failure: "unavailable", definite: false });
  });
});
