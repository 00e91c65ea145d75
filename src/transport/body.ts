import { AppError } from "../kernel/errors.ts";

const MOST_BODY_BYTES = 64 * 1024;
export const MOST_URL = 2048;
const MOST_DEPTH = 8;

/**
 * Returns the JSON text of a request's body; undefined without a body. Stops reading at the limit, even for chunked
 * bodies.
 */
export async function readBody(request: Request): Promise<string | undefined> {
  const { headers } = request;
  if (headers.get("content-length") === "0") return undefined;
  if (Number(headers.get("content-length") ?? 0) > MOST_BODY_BYTES) throw tooLarge();
  if (headers.has("content-length") || headers.has("transfer-encoding")) checkType(headers);
  // Node's server gives every DELETE a body stream, which is usually empty.
  const text = await readText(request);
  if (text === "") return undefined;
  checkType(headers);
  return text;
}

function checkType(headers: Headers): void {
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? ""))
    throw new AppError("Unsupported media type", "send the body as application/json");
}

function readText(request: Request): Promise<string> {
  const { headers } = request;
  // A client that sends a length sends no more. Reading it as a stream takes Node ten times as long.
  return headers.has("content-length") && !headers.has("transfer-encoding")
    ? readWhole(request)
    : readParts(request);
}

async function readWhole(request: Request): Promise<string> {
  const text = await request.text();
  if (text.length > MOST_BODY_BYTES) throw tooLarge();
  return text;
}

async function readParts(request: Request): Promise<string> {
  const reader = request.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MOST_BODY_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

const tooLarge = () => new AppError("Payload too large", `a body can have at most ${MOST_BODY_BYTES} bytes`);

/** Parses a JSON object of limited depth. */
export function parseBody(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("Invalid request", "the body must be a JSON object");
  }
  if (isDeeper(value, MOST_DEPTH))
    throw new AppError("Invalid request", `the body is nested deeper than ${MOST_DEPTH} levels`);
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    // Checking each field takes several times as long as parsing; without this name, escaped or not, no field can have
    // it.
    return /__proto__|\\/.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("Invalid JSON", "the body is not valid JSON");
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new AppError("Invalid request", "unknown field: __proto__");
  return value;
}

/** Stops at the limit, because a body can have more levels than the stack has room for. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));
