import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isLabel, type Label } from "../../errors.ts";
import { plainTexts } from "../../kernel/plain-text.ts";
import type { Answer } from "../run.ts";

/** An answer as a tool's result: structured content with a short text, or an error that says what to do next. */
export function resultOf({ status, body }: Answer): CallToolResult {
  const plain = plainTexts(body) as Record<string, unknown>;
  if (status !== 200) return failed(plain);
  return { structuredContent: plain, content: [{ type: "text", text: shortText(plain) }] };
}

/** The error body and the next step, as JSON text: structured content of an error would have to fit the output schema. */
function failed(body: Record<string, unknown>): CallToolResult {
  const next = isLabel(String(body.error)) ? NEXT[body.error as Label] : undefined;
  const told = { next: next ?? "Call the tool again with corrected arguments.", ...body };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(told) }] };
}

const LOOK_AGAIN = "This may pass: wait some seconds and call the tool again.";
const NEXT: Partial<Record<Label, string>> = {
  "Invalid exchange": "Call list_exchanges for the ids that can be used.",
  "Missing symbol": "Give symbol as BASE/QUOTE in upper case, for example BTC/USDT.",
  "Invalid symbol":
    "Choose another pair, as BASE/QUOTE; list_exchanges names the quote assets of each exchange.",
  "Price required": "Give price, in the quote asset.",
  "Invalid order size": "Give an orderSize of at least what the message says.",
  "Invalid spacing": "Give fewer levels or a wider range; the message says the least spacing.",
  Unauthorized: "Ask the person for an API token: edgemaker token create.",
  "Missing credentials": "Ask the person to add keys of this exchange: edgemaker setup.",
  "Invalid credentials":
    "Ask the person to check the keys of this exchange: edgemaker setup, edgemaker doctor.",
  Forbidden: "Do not try again: a person has to allow this; the message says what forbids it.",
  "Not found": "Call get_grid_status or list_grids for the ids there are.",
  "Order not found": "Call list_orders for the open orders.",
  Conflict: "Call the tool without planId for a new preview.",
  "Would self-cross":
    "Nothing was placed. Choose another price, or ask the person about the order that is named.",
  "Too many requests": "Wait before the next call.",
  "Exchange error": LOOK_AGAIN,
  "Order failed": "Nothing was placed. Read the message, then ask for a new preview.",
  "Cancel failed": "Call list_orders to see what is still open, then ask for a new preview.",
  "Start failed": "Nothing was started. Read the message, then ask for a new preview.",
  "Price fetch failed": LOOK_AGAIN,
  "Discovery failed": LOOK_AGAIN,
  "Fetch failed": LOOK_AGAIN,
  "Order unknown":
    "Do not place it again: call list_orders until its clientOrderId shows or a minute has passed.",
  "Internal error": "Tell the person the requestId: the log says more.",
};

const MOST = 600;
/** Only words of this form stand in the text; any other text is in the structured content alone. */
const WORD = /^[\w./:+-]{1,60}$/;

function shortText(body: Record<string, unknown>): string {
  const text = partsOf(body).join(", ");
  return text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text || "done";
}

function partsOf(value: Record<string, unknown>, under = ""): string[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const label = under ? `${under}.${name}` : name;
    if (Array.isArray(part)) return [`${label}: ${part.length}`];
    if (typeof part === "object" && part !== null && under === "")
      return partsOf(part as Record<string, unknown>, name);
    return isShown(part) ? [`${label} ${String(part)}`] : [];
  });
}

const isShown = (part: unknown): boolean =>
  typeof part === "number" || typeof part === "boolean" || (typeof part === "string" && WORD.test(part));
