/** Returns a message as the protocol's schemas accept it: some clients send `null` for fields that they leave out. */
export function withoutNullParams(message: unknown): unknown {
  if (!isFields(message) || !("params" in message)) return message;
  const { params, ...rest } = message;
  if (params === null) return rest;
  if (!isFields(params) || params.arguments !== null) return message;
  const { arguments: _none, ...others } = params;
  return { ...rest, params: others };
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
