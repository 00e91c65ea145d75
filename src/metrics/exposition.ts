/** A metric for Prometheus: text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
export interface Family {
  /** Name without the prefix; a counter's ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** For a histogram: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Formats metrics; a metric without a sample is omitted: unknown is not zero. */
export const exposition = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const full = `edgemaker_${name}`;
      const lines = samples.map(
        ({ suffix = "", labels, value }) => `${full}${suffix}${labelsText(labels)} ${value}`,
      );
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("\n")}\n`;
    })
    .join("");

const labelsText = (labels: Sample["labels"]): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

const escapedLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
