import { type Tracer as Found, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { type Tracer, withinTime } from "../../src/ports/within-time.ts";

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends collected spans, within a short time. */
  stop(): Promise<void>;
}

/** Exports spans to the collector in the standard variables. */
export function openTelemetry(version: string): Tracing {
  // Not the process's own attributes, because its arguments can contain a token.
  const result = detectResources({ detectors: [envDetector] });
  const own = resourceFromAttributes({ "service.name": "edgemaker", "service.version": version });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(own).merge(result),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // Makes spans within a span its children.
  provider.register();
  const tracer = tracerOver(provider.getTracer("edgemaker", version));
  return { tracer, stop: () => soon(provider.shutdown()) };
}

const tracerOver = (found: Found): Tracer => ({
  span: (name, attributes, work) =>
    found.startActiveSpan(name, { attributes: { ...attributes } }, async (span) => {
      const fail = (type: string) => {
        span.setAttribute("error.type", type);
        span.setStatus({ code: SpanStatusCode.ERROR });
      };
      try {
        return await work({
          set: (more) => void span.setAttributes({ ...more }),
          rename: (other) => void span.updateName(other),
          fail,
        });
      } catch (error) {
        // Only the error's type, because a message can contain foreign text.
        fail(error instanceof Error ? error.name : "unknown");
        throw error;
      } finally {
        span.end();
      }
    }),
});

/** Waits only a short time, because a missing collector must not block a stop. */
const soon = (ending: Promise<void>): Promise<void> =>
  withinTime(ending, MAX_TRACING_STOP_MS, () => new Error("the collector does not respond")).catch(
    () => undefined,
  );

const MAX_TRACING_STOP_MS = 3000;
