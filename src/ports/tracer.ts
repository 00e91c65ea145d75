export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface TraceSpan {
  /** Adds attributes before the span ends. They contain no secrets and no foreign text. */
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Marks the traced work as failed. */
  fail(type: string): void;
}

/** Traces work for a collector. Names and attributes follow OpenTelemetry's conventions. */
export interface Tracer {
  /** Runs `work` in a span. Spans that start meanwhile are its children. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => Promise<T>): Promise<T>;
}
