/** Requests as a person reads them: parameters in order, and in place of what no two runs have alike, what it is. */
import { DAY, type Millis, SECOND } from "../../../src/kernel/time.ts";
import type { Recorded } from "../../support/recording.ts";

export interface Run {
  readonly now: Millis;
  /** Texts that are made anew in each run, and their names: keys, ids that the exchange gave. */
  readonly names: ReadonlyMap<string, string>;
}

/** What every client sends, whatever it asks. */
const USUAL = /^(host|connection|content-length|accept.*|user-agent|sec-fetch-mode|transfer-encoding)$/;

const NEAR = 400 * DAY;

/** `GET /path`, and below it what the query, the body and the headers carry. */
export function tell({ method, path, headers, body }: Recorded, run: Run): string {
  const { pathname, searchParams } = new URL(path, "http://exchange");
  const own = Object.entries(headers).filter(([name]) => !USUAL.test(name));
  const lines = [
    ["query", fields([...searchParams], run)],
    [body.startsWith("{") || body.startsWith("[") ? "json" : "form", fields(bodyOf(body), run)],
    [
      "headers",
      fields(
        own.map(([name, value]): [string, unknown] => [name, String(value)]),
        run,
      ),
    ],
  ].filter(([, output]) => output !== "");
  const named = pathname.split("/").map((part) => run.names.get(part) ?? part);
  return [`  ${method} ${named.join("/")}`, ...lines.map(([what, output]) => `    ${what}: ${output}`)].join(
    "\n",
  );
}

const bodyOf = (body: string): [string, unknown][] =>
  body.startsWith("{") || body.startsWith("[")
    ? Object.entries(JSON.parse(body))
    : [...new URLSearchParams(body)];

const fields = (all: readonly (readonly [string, unknown])[], run: Run): string =>
  all
    .map(([name, value]) => `${name}=${plain(name, value, run)}`)
    .sort()
    .join(" ");

function plain(name: string, value: unknown, run: Run): string {
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([key, part]) => `${key}=${plain(key, part, run)}`);
    return `(${parts.join(" ")})`;
  }
  const text = String(value);
  if (/sign/i.test(name)) return "{signature}";
  if (name === "nonce") return "{nonce}";
  return run.names.get(text) ?? timeOf(text, run.now) ?? text;
}

/** Times as what they are from now, in the unit in which they are sent. */
function timeOf(text: string, now: Millis): string | undefined {
  const [at, unit] = /^\d{13}$/.test(text)
    ? [Number(text), "ms"]
    : /^\d{10}(\.\d+)?$/.test(text)
      ? [Number(text) * SECOND, "s"]
      : /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)
        ? [Date.parse(text), "iso"]
        : [Number.NaN, ""];
  const off = Math.round((at - now) / SECOND);
  if (!(Math.abs(at - now) < NEAR)) return undefined;
  return `{now${off === 0 ? "" : `${off > 0 ? "+" : ""}${off}s`} ${unit}}`;
}
