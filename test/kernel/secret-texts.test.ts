import { createServer } from "node:http";
import { expect, it } from "vitest";
import { withoutSecrets } from "../../src/kernel/secret-texts.ts";

const SECRETS = [
  "k7Jp+Qz9/Lm2=x4Rt+Vw6/Yb8==",
  "https://hooks.example/x?token=a%2Bq7Zr%2FTk%3D5Wm9%2Bbc",
  'pa ss"wo\\rd&<k>é9!Tz',
];
const bytesOf = (text: string) => [...new TextEncoder().encode(text)];
const hex = (byte: number) => byte.toString(16).padStart(2, "0");
const each = (text: string, encode: (character: string) => string) => [...text].map(encode).join("");
const percent = (text: string) =>
  each(text, (one) =>
    bytesOf(one)
      .map((byte) => `%${hex(byte)}`)
      .join(""),
  );
const decoded = (text: string) => decodeURIComponent(text);
const base64 = (text: string) => Buffer.from(text).toString("base64");

const ENCODINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["as a part of an address", encodeURIComponent],
  ["as an address", encodeURI],
  ["as a form", (secret) => new URLSearchParams({ s: secret }).toString().slice(2)],
  ["as a form that was read", (secret) => secret.replaceAll("+", " ")],
  ["decoded", (secret) => (secret.includes("%2B") ? decoded(secret) : secret)],
  ["decoded as a form", (secret) => (secret.includes("%2B") ? decoded(secret).replaceAll("+", " ") : secret)],
  ["encoded twice", (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ["with every character encoded", percent],
  [
    "with every second character encoded",
    (secret) => [...secret].map((one, at) => (at % 2 ? percent(one) : one)).join(""),
  ],
  ["with lower-case hexadecimal digits", (secret) => encodeURIComponent(secret).toLowerCase()],
  ["as JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["as JSON with escaped slashes", (secret) => JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
  ["as escaped JSON", (secret) => each(secret, (one) => `\\u00${hex(one.charCodeAt(0))}`)],
  [
    "as HTML",
    (secret) =>
      secret
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;"),
  ],
  ["as HTML with numbers", (secret) => each(secret, (one) => `&#${one.charCodeAt(0)};`)],
  ["as HTML with hexadecimal numbers", (secret) => each(secret, (one) => `&#x${hex(one.charCodeAt(0))};`)],
  ["in hexadecimal digits", (secret) => Buffer.from(secret).toString("hex")],
  ["in base64", base64],
  ["in base64 for addresses", (secret) => Buffer.from(secret).toString("base64url")],
  ["in base64 as a part of an address", (secret) => encodeURIComponent(base64(secret))],
  ["in base64 after a name", (secret) => base64(`user:${secret}`)],
  ["in base64 after a longer name", (secret) => base64(`users:${secret}`)],
];
/** The longest part of the secret's own text that a response shows. */
function longestShown(shown: string, encoded: string): number {
  let longest = 0;
  for (let from = 0; from < encoded.length; from++)
    while (shown.includes(encoded.slice(from, from + longest + 1)) && from + longest < encoded.length)
      longest++;
  return longest;
}

it.each(ENCODINGS)("hides a secret %s", (_, encode) => {
  for (const secret of SECRETS) {
    const encoded = encode(secret);
    const shown = withoutSecrets(`bad request [${encoded}] here`, SECRETS);
    // Alignment leaves up to three characters of base64 at each end, which are mostly of the text around it.
    expect(
      [longestShown(shown, encoded.replace("https://hooks.example", "")) <= 12, shown.slice(-6)],
      shown,
    ).toEqual([true, "] here"]);
    expect(shown, shown).toContain("…");
  }
});

it("hides the beginning of a secret in any encoding, and nothing else", () => {
  const [secret = ""] = SECRETS;
  expect(withoutSecrets(`cut: ${encodeURIComponent(secret).slice(0, 22)}`, [secret])).toBe("cut: …");
  expect(withoutSecrets("the price 5 + 4 is wrong / odd = %2B", SECRETS)).toBe(
    "the price 5 + 4 is wrong / odd = %2B",
  );
  expect(withoutSecrets("k7Jp+Q is a short beginning", SECRETS)).toBe("k7Jp+Q is a short beginning");
});

it("hides what a server repeats from a request", async () => {
  const server = createServer((request, response) => response.end(`no such page: ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  for (const secret of SECRETS) {
    const url = new URL(`http://127.0.0.1:${port}/`);
    url.searchParams.set("signature", secret);
    const text = await (await fetch(url)).text();
    expect(withoutSecrets(text, [secret])).toBe("no such page: /?signature=…");
  }
  server.close();
});
