export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface TraceSpan {
  /** What is known at its end. No secret, and no text from elsewhere, may be in it. */
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Whether the traced work failed. */
  fail(type: string): void;
}

/** Measures work for whoever collects that; names and attributes are those of OpenTelemetry's conventions. */
export interface Tracer {
  /** Runs `work` in a span. Spans started meanwhile are its children. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => Promise<T>): Promise<T>;
}
