/** A text in which each of these secrets is "…", in whichever way it was repeated. Empty ones are none. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== "")
    .flatMap(formsOf)
    .reduce(withoutForm, text);

/** As an answer may carry a secret back: percent-encoded, or in base64; in which case of letters it matters not. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, ""),
];

const withoutForm = (text: string, form: string): string =>
  text.replace(new RegExp(form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi"), "…");
