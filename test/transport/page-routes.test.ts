import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createOperations } from "../../src/operations.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { ownStrategy } from "../backtest/own-strategy.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const PAGE = "src/web";
/** Routes that are not operations. */
const OTHERS = ["GET /events", "GET /session", "POST /session", "DELETE /session"];
const REQUEST = /["`]((?:GET|POST|PUT|PATCH|DELETE) \/[^"`\s]*)["`]/g;

const sources = readdirSync(PAGE, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
  .map((file) => readFileSync(join(PAGE, file), "utf8"));

/** Returns a pattern of the routes that a text with `${…}` can name. */
const patternOf = (request: string): RegExp =>
  new RegExp(`^${request.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "[^/]+")}$`);

it("serves every route that the page requests", () => {
  const { definition } = ownStrategy();
  const routes = createOperations(EXCHANGES, [definition as AnyStrategyDefinition]).map(
    ({ http }) => http.route,
  );
  const requests = new Set(
    sources.flatMap((source) => [...source.matchAll(REQUEST)].map((match) => match[1] as string)),
  );
  expect(requests.size).toBeGreaterThan(50);
  const known = [...routes, ...OTHERS];
  expect([...requests].filter((request) => !known.some((route) => patternOf(request).test(route)))).toEqual(
    [],
  );
});
