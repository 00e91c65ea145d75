/** Replaces each of these secrets in a text with "…", in any encoding or shortened form. Empty secrets are ignored. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== "")
    .flatMap(formsOf)
    .reduce(withoutForm, text);

interface SecretForm {
  readonly form: string;
  /** Number of leading characters that reveal the secret. */
  readonly minLength: number;
}

const MIN_SECRET_BEGINNING = 8;

/** Returns the forms in which a response can repeat a secret, in any letter case. */
function formsOf(secret: string): SecretForm[] {
  const bytes = new TextEncoder().encode(secret);
  const inHex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const inBase64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
  const backwards = [...secret].reverse().join("");
  // The beginning of an address is not secret.
  const open = /^[a-z]+:\/\/[^/]*/.exec(secret)?.[0].length ?? 0;
  const part = Math.min(1, (open + MIN_SECRET_BEGINNING) / secret.length);
  return [secret, encodeURIComponent(secret), inBase64, inHex, backwards].map((form) => ({
    form,
    minLength:
      form === backwards ? Math.min(form.length, MIN_SECRET_BEGINNING) : Math.ceil(form.length * part),
  }));
}

/** Lower-cases text without changing its length, so positions stay the same. */
const inLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function withoutForm(text: string, { form, minLength }: SecretForm): string {
  const [low, letters] = [inLowerCase(text), inLowerCase(form)];
  const beginning = letters.slice(0, minLength);
  let [plain, from] = ["", 0];
  for (let at = low.indexOf(beginning); at >= 0; at = low.indexOf(beginning, from)) {
    let count = minLength;
    while (count < letters.length && low[at + count] === letters[count]) count++;
    plain += `${text.slice(from, at)}…`;
    from = at + count;
  }
  return plain + text.slice(from);
}
