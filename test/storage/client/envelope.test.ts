import { describe, expect, it } from "vitest";
import {
  type EncryptedText,
  importKek,
  openSealed,
  rewrap,
  seal,
} from "../../../src/storage/client/envelope.ts";

const OWNER = "credentials live:kraken:api.kraken.com";
const TEXTS = { key: "canary-key", secret: "canary-secret", passphrase: "canary-phrase" };
const kekOf = (fill: number) => importKek(new Uint8Array(32).fill(fill));

/** Sealed once and kept: what is stored today has to open with every later version, on every runtime. */
const KEPT: EncryptedText = {
  kek: "4bb06f8e",
  wrapped: "UUqM1WX9ymay83BcIO3YKlwaO/9hpGtMhONdI6dvD1hpW31zh4Y4SkbcyX5vubbJWtdPpJtPj4GTJ9XO",
  fields: {
    key: "h/3qiifEJzqJi6VSG9wFLgrIMufEZ8H4u6rJZ1/Sd7mCSQNVWJg=",
    secret: "wwU4fTd+9kNea5qRUaK8NePn2gDB6LhMz9IJZrWcO2AEJVqHhvTiN8A=",
    passphrase: "XAZEoQiddDC+khS+P9EQmZLgwLlrtQRqXDtXmE4fOSdZgSwLI6ZgRhU=",
  },
};

describe("the envelope of stored keys", () => {
  it("opens its sealed keys, and reveals none of them", async () => {
    const kek = await kekOf(1);
    const sealed = await seal(kek, OWNER, TEXTS);
    expect(await openSealed([kek], OWNER, sealed)).toEqual(TEXTS);
    const bytes = atob(
      JSON.stringify(sealed)
        .replace(/[^A-Za-z0-9+/]/g, "")
        .slice(0, 400),
    );
    for (const text of Object.values(TEXTS)) {
      expect(JSON.stringify(sealed)).not.toContain(text);
      expect(bytes).not.toContain(text);
    }
  });

  it("opens a stored test vector", async () => {
    expect(await openSealed([await kekOf(7)], OWNER, KEPT)).toEqual(TEXTS);
  });

  it("seals the same text differently each time", async () => {
    const kek = await kekOf(1);
    const [one, two] = [await seal(kek, OWNER, TEXTS), await seal(kek, OWNER, TEXTS)];
    expect(one.fields.secret).not.toBe(two.fields.secret);
    expect(one.wrapped).not.toBe(two.wrapped);
  });

  it("rejects a row of another account, swapped columns, and another operator's key", async () => {
    const kek = await kekOf(1);
    const sealed = await seal(kek, OWNER, TEXTS);
    const { key = "", secret = "" } = sealed.fields;
    await expect(openSealed([kek], `${OWNER}2`, sealed)).rejects.toThrow(
      /was changed or belongs to other keys/,
    );
    const swapped = { ...sealed, fields: { ...sealed.fields, key: secret, secret: key } };
    await expect(openSealed([kek], OWNER, swapped)).rejects.toThrow(/was changed or belongs to other keys/);
    await expect(openSealed([await kekOf(2)], OWNER, sealed)).rejects.toThrow(/EDGEMAKER_KEK/);
    const foreign = { ...(await kekOf(2)), id: kek.id };
    await expect(openSealed([foreign], OWNER, sealed)).rejects.toThrow(
      /was changed or belongs to other keys/,
    );
  });

  it("rejects every single flipped bit", async () => {
    const kek = await kekOf(1);
    const sealed = await seal(kek, OWNER, { secret: "s" });
    for (const name of ["wrapped", "secret"] as const) {
      const text = name === "wrapped" ? sealed.wrapped : (sealed.fields.secret ?? "");
      const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.map((byte, place) => (place === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const changed = btoa(String.fromCharCode(...flipped));
        const broken =
          name === "wrapped" ? { ...sealed, wrapped: changed } : { ...sealed, fields: { secret: changed } };
        await expect(openSealed([kek], OWNER, broken)).rejects.toThrow(
          /was changed or belongs to other keys/,
        );
      }
    }
  });

  it("rewraps the data key without touching the fields", async () => {
    const [old, fresh] = [await kekOf(1), await kekOf(2)];
    const sealed = await seal(old, OWNER, TEXTS);
    const rotated = await rewrap([fresh, old], OWNER, sealed);
    expect(rotated.fields).toEqual(sealed.fields);
    expect(await openSealed([fresh], OWNER, rotated)).toEqual(TEXTS);
    await expect(openSealed([old], OWNER, rotated)).rejects.toThrow(/EDGEMAKER_KEK/);
  });
});
