/** Texts, numbers and booleans: a variable of wrangler.toml need not be a text. What is bound otherwise is none. */
export const textSettingsOf = (
  environment: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([name, value]) => typeof value !== "object" || name.startsWith("EDGEMAKER_"))
      .map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
