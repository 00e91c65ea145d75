/** Replaces each of these secrets in a text with "…", in any encoding or shortened form. Empty secrets are ignored. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== "")
    .flatMap(formsOf)
    .reduce(withoutForm, text);

interface SecretForm {
  /** Its characters, of which a percent-encoded one is a single one: a response can show it decoded. */
  readonly characters: readonly string[];
  /** Number of leading characters that reveal the secret. */
  readonly minLength: number;
}

const MIN_SECRET_BEGINNING = 8;
/** Bytes before a secret that base64 encodes together with it, such as a user's name. */
const BASE64_ALIGNMENTS = [0, 1, 2] as const;

/** Returns the forms in which a response can repeat a secret; each of their characters can be encoded again. */
function formsOf(secret: string): SecretForm[] {
  const bytes = new TextEncoder().encode(secret);
  const inHex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const backwards = [...secret].reverse().join("");
  // The beginning of an address is not secret.
  const open = /^[a-z]+:\/\/[^/]*/.exec(secret)?.[0].length ?? 0;
  const part = Math.min(1, (open + MIN_SECRET_BEGINNING) / secret.length);
  const inBase64 = BASE64_ALIGNMENTS.map((before) => inBase64After(before, bytes));
  return [secret, ...inBase64, inHex, backwards].flatMap((form) => {
    const characters = form.match(CHARACTERS) ?? [];
    const { length } = characters;
    const minLength = form === backwards ? Math.min(length, MIN_SECRET_BEGINNING) : Math.ceil(length * part);
    return length === 0 ? [] : [{ characters, minLength }];
  });
}

const CHARACTERS = /%[0-7][\da-f]|(?:%[89a-f][\da-f])+|./gisu;

/** Returns the base64 characters that depend on the secret alone, if other bytes stand before it. */
function inBase64After(before: number, bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
  const known = Math.floor((8 * (before + bytes.length)) / 6);
  return before === 0 ? text.replace(/=+$/, "") : text.slice(before + 1, known);
}

/** Characters that another encoding writes instead, such as base64 for addresses, and a form that was read. */
const TWINS: Readonly<Record<string, readonly string[]>> = { "+": ["-", " "], "/": ["_"], " ": ["+"] };
const HTML_NAMES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
/** Matches texts of any number of encodings, one over another. */
const percentEncoded = (hex: string): string => `%(?:25){0,3}${hex}`;

/** Returns the source of a pattern of all encodings of a character, the longest first. */
function encodingsOf(character: string): string {
  if (character.length > 2) {
    const encoded = [...character].map((one) => `(?:${encodingsOf(one)})`).join("");
    return `${encoded}|${[...unescaped(character)].map((one) => `(?:${encodingsOf(one)})`).join("")}`;
  }
  const code = character.codePointAt(0) ?? 0;
  const bytes = [...new TextEncoder().encode(character)].map((byte) => byte.toString(16).padStart(2, "0"));
  const units = Array.from(character, (_, at) => character.charCodeAt(at).toString(16).padStart(4, "0"));
  const name = HTML_NAMES[character];
  return [
    bytes.map(percentEncoded).join(""),
    `\\\\{1,4}u${units.join("\\\\{1,4}u")}`,
    `&(?:amp;)?#0{0,4}(?:${code}|x0{0,4}${code.toString(16)});`,
    ...(name === undefined ? [] : [`&(?:amp;)?${name};`]),
    // A backslash escapes quotes, slashes and itself.
    `\\\\{0,4}${literal(character)}`,
    ...(TWINS[character] ?? []).map(literal),
  ].join("|");
}

function unescaped(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 1000;

function stickyPattern(character: string): RegExp {
  const known = patterns.get(character) ?? new RegExp(`(?:${encodingsOf(character)})`, "iy");
  if (patterns.size < MAX_PATTERNS) patterns.set(character, known);
  return known;
}

function withoutForm(text: string, { characters, minLength }: SecretForm): string {
  const beginning = new RegExp(
    characters
      .slice(0, minLength)
      .map((character) => stickyPattern(character).source)
      .join(""),
    "gi",
  );
  let [plain, from] = ["", 0];
  for (let found = beginning.exec(text); found; found = beginning.exec(text)) {
    plain += `${text.slice(from, found.index)}…`;
    from = afterSecret(text, beginning.lastIndex, characters.slice(minLength));
    beginning.lastIndex = from;
  }
  return plain + text.slice(from);
}

/** Returns the end of the part of a text that continues the secret. */
function afterSecret(text: string, start: number, characters: readonly string[]): number {
  let end = start;
  for (const character of characters) {
    const pattern = stickyPattern(character);
    pattern.lastIndex = end;
    if (!pattern.test(text)) break;
    end = pattern.lastIndex;
  }
  return end;
}
