/** Converts settings to text: a variable in wrangler.toml can be a number or boolean. Other bindings are ignored. */
export const textSettingsOf = (
  environment: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name, value]) => typeof value !== "object" || name.startsWith("EDGEMAKER_"))
      .map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
