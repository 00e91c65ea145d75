import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { canary } from "../support/canary.ts";
import { eventually, serve } from "../support/command.ts";
import { answering } from "../support/live.ts";
import { orderRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

interface Reported {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** Spans as OTLP has them in JSON. */
const spansIn = (body: string): Reported[] => {
  const { resourceSpans = [] } = JSON.parse(body);
  return resourceSpans.flatMap(({ scopeSpans = [] }: { scopeSpans?: { spans: Reported[] }[] }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );
};

const attributeOf = (span: Reported | undefined, key: string) =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

const ORDER = orderRequest();

it("a trace nests requests, passes, and exchange and database calls, and contains no secret", async () => {
  const collector = await answering(() => ({ body: "{}" }));
  const venue = await startVenue("kraken");
  onTestFinished(async () => void (await venue.close()));
  const server = await serve(tempFolder(), ["--venue-url", `kraken=${venue.url}`, "--tick-interval", "200"], {
    KRAKEN_API_KEY: venue.keys.key,
    KRAKEN_SECRET: venue.keys.secret,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const query = `exchange=kraken&symbol=BTC/USDT&note=${canary("query")}`;
  await server.ask("/api/v1/orders", { method: "POST", body: JSON.stringify(ORDER) });
  await server.ask(`/api/v1/ticker?${query}`);
  await server.ask("/api/v1/strategies/no-such-grid/orders");
  const spans = await eventually(
    async () => collector.requests.flatMap(({ body }) => spansIn(body)),
    (results) =>
      results.some(({ name }) => name === "pass") && results.some(({ name }) => name.includes("/:id/orders")),
  );
  const named = (name: string | RegExp) =>
    spans.filter((one) => (typeof name === "string" ? one.name === name : name.test(one.name)));

  const [request] = named("POST /api/v1/orders");
  expect(attributeOf(request, "http.response.status_code")).toBe(200);
  expect(attributeOf(request, "edgemaker.request_id")).toMatch(/^[0-9a-z]{12}$/);
  const within = spans.filter(({ traceId }) => traceId === request?.traceId);
  const call = within.find((one) => attributeOf(one, "url.path") === "/0/private/AddOrder");
  expect(call).toMatchObject({ name: "POST 127.0.0.1", parentSpanId: expect.any(String) });
  expect(within.filter(({ name }) => name.startsWith("db ")).length).toBeGreaterThan(0);
  expect(attributeOf(named("pass")[0], "edgemaker.exchange")).toBe("kraken");
  expect(named(/^GET \/api\/v1\/strategies\/:id\/orders$/)).toHaveLength(1);

  const all = collector.requests.map(({ body }) => body).join("\n");
  expect(all).toContain('"service.name"');
  expect(all).toContain("deployment.environment.name");
  for (const secret of [venue.keys.key, venue.keys.secret, server.token, canary("query"), "no-such-grid"])
    expect(all).not.toContain(secret);
  expect(collector.requests.every(({ path }) => path === "/v1/traces")).toBe(true);
});

it("a server runs and stops without a trace collector", async () => {
  const server = await serve(tempFolder(), ["--sandbox", "--tick-interval", "100"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
  for (let requestCount = 0; requestCount < 5; requestCount++)
    expect((await server.ask("/api/v1/exchanges")).status).toBe(200);
  await server.kill("SIGTERM");
  expect(server.child.exitCode).toBe(0);
});

/** The files of ours that a server has loaded, as V8 tells them at its end. */
async function loadedBy(over: Record<string, string>): Promise<string> {
  const folder = tempFolder();
  const coverage = join(folder, "coverage");
  const server = await serve(folder, ["--sandbox"], { NODE_V8_COVERAGE: coverage, ...over });
  await server.kill("SIGTERM");
  const files = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8")) as {
      result: { url: string }[];
    };
    return result
      .map(({ url }) => url)
      .filter((url) => url.startsWith("file:") && url.includes("/dist/cli-"));
  });
  expect(files.length).toBeGreaterThan(0);
  return [...new Set(files)].map((url) => readFileSync(fileURLToPath(url), "utf8")).join("\n");
}

it("a server loads no tracing and no mailer unless configured", async () => {
  const requestedInput = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  const has = async (over: Record<string, string>) => {
    const loaded = await loadedBy(over);
    return { traces: loaded.includes("OTLPTraceExporter"), mails: loaded.includes("X-Mailer") };
  };
  expect(await has(requestedInput)).toEqual({ traces: true, mails: false });
  expect(await has({})).toEqual({ traces: false, mails: false });
  expect(await has({ ...requestedInput, OTEL_SDK_DISABLED: "true" })).toEqual({
    traces: false,
    mails: false,
  });
});
