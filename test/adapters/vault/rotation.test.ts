import { expect, it } from "vitest";
import { credentialStore } from "../../../src/adapters/libsql/credential-store.ts";
import { importKek } from "../../../src/storage/client/envelope.ts";
import { BY } from "../../support/by.ts";
import { canary } from "../../support/canary.ts";
import { testSandbox } from "../../support/sandbox.ts";

const ACCOUNT = "live:kraken:api.kraken.com";
const kek = (byte: number) => importKek(new Uint8Array(32).fill(byte));
const keys = (name: string) => ({ key: canary(`${name} key`), secret: canary(`${name} secret`) });

it("a rotation leaves keys alone that a user has replaced in the meantime", async () => {
  const { context } = await testSandbox();
  const [before, after] = [await kek(1), await kek(2)];
  await credentialStore(context, [before]).put(ACCOUNT, keys("first"), BY);
  const replaced = keys("second");
  let isReplaced = false;
  const turn: typeof context.client.turn = async (act, isFirst) => {
    if (!isReplaced) {
      isReplaced = true;
      await credentialStore(context, [after, before]).put(ACCOUNT, replaced, BY);
    }
    return context.client.turn(act, isFirst);
  };
  const rotating = credentialStore({ ...context, client: { ...context.client, turn } }, [after, before]);
  expect(await rotating.rotate(BY)).toBe(0);
  expect(await credentialStore(context, [after]).get(ACCOUNT)).toMatchObject(replaced);
});
