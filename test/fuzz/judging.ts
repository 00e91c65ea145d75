import { isLabel, statusOf } from "../../src/kernel/errors.ts";
import type { Request } from "./requests.ts";

/** What is wrong with an answer, whatever was asked; undefined where nothing is. */
export function wrongWith({ operation, path }: Request, status: number, text: string): string | undefined {
  const what = `${operation} ${path.slice(0, 200)}: ${status}`;
  if (status < 400) return status === 200 ? undefined : what;
  const result = parse(text);
  const label = typeof result?.error === "string" ? result.error : "";
  if (!isLabel(label)) return `${what} without a label: ${text.slice(0, 200)}`;
  if (statusOf(label) !== status) return `${what} under the label ${label}`;
  if (label === "Internal error") return `${what} ${text.slice(0, 300)}`;
  if (typeof result?.message !== "string" || result.message === "") return `${what} ${label} says nothing`;
  if (/\bat \S+:\d+:\d+|node_modules|\[object |undefined/.test(result.message))
    return `${what} tells of its inside: ${result.message.slice(0, 200)}`;
  return undefined;
}

function parse(text: string): { error?: unknown; message?: unknown } | undefined {
  try {
    return JSON.parse(text) as { error?: unknown; message?: unknown };
  } catch {
    return undefined;
  }
}
