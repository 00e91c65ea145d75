import { describe, expect, it } from "vitest";
import { readSecretFiles } from "../../cli/host/secret-files.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { edgemaker, serve } from "../support/command.ts";
import { fileWith, tempFolder } from "../support/temp.ts";

const TOKEN = "a-token-of-a-container";

describe("a setting from a file", () => {
  it("is the token that a server accepts", async () => {
    const server = await serve(tempFolder(), ["--sandbox"], {
      EDGEMAKER_TOKEN: "",
      EDGEMAKER_TOKEN_FILE: fileWith(`${TOKEN}\n`),
    });
    const ask = (token: string) =>
      fetch(`${server.url}/api/v1/strategies`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(TOKEN)).status).toBe(200);
    expect((await ask(`${TOKEN}x`)).status).toBe(401);
  });

  it("is a key of an exchange, which a file may name too", () => {
    const env: NodeJS.ProcessEnv = {
      EDGEMAKER_EXCHANGES_FILE: fileWith("mine=kraken"),
      MINE_API_KEY_FILE: fileWith(" key \n"),
      OTHER_SECRET_FILE: "/nowhere",
    };
    readSecretFiles(env, ({ EDGEMAKER_EXCHANGES }) => (EDGEMAKER_EXCHANGES ? ["MINE_API_KEY"] : []));
    expect(env).toEqual({
      EDGEMAKER_EXCHANGES: "mine=kraken",
      MINE_API_KEY: "key",
      OTHER_SECRET_FILE: "/nowhere",
    });
  });

  it.each(["EDGEMAKER_KEK", "EDGEMAKER_LIMITS", "EDGEMAKER_KILL", "EDGEMAKER_TOKEN", "KRAKEN_SECRET"])(
    "does not count as not set if its file is empty: %s",
    (name) => {
      for (const text of ["", " \n"])
        expect(() => readSecretFiles({ [`${name}_FILE`]: fileWith(text) }, () => ["KRAKEN_SECRET"])).toThrow(
          new SettingsError(`${name}_FILE: the file is empty`),
        );
    },
  );

  it.each([
    ["a file that does not exist", { EDGEMAKER_TOKEN_FILE: "/nowhere" }, /EDGEMAKER_TOKEN_FILE: ENOENT/],
    [
      "both",
      { EDGEMAKER_TOKEN_FILE: "/dev/null", EDGEMAKER_TOKEN: TOKEN },
      /EDGEMAKER_TOKEN and EDGEMAKER_TOKEN_FILE are both set/,
    ],
    ["a file for a setting that does not exist", { EDGEMAKER_TOKN_FILE: "/dev/null" }, /is not a setting/],
    ["a file of a key that does not exist", { KRAKEN_SECRET_FILE: "/nowhere" }, /KRAKEN_SECRET_FILE: ENOENT/],
  ])("is refused: %s", async (_what, over, reason) => {
    const { code, stderr } = await edgemaker(
      tempFolder(),
      ["exchanges", "--sandbox"],
      over as Record<string, string>,
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
  });
});
