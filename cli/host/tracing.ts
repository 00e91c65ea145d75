import type { Tracing } from "./open-telemetry.ts";

/**
 * Returns whether OpenTelemetry's own variables request traces;
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables
 */
const isRequested = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none";

/** Loads OpenTelemetry only if it is requested. */
export const startTracing = async (env: NodeJS.ProcessEnv, version: string): Promise<Tracing | undefined> =>
  isRequested(env) ? (await import("./open-telemetry.ts")).openTelemetry(version) : undefined;
