import type { SignIn } from "../../src/transport/page.ts";
import { nodeLocal } from "./process/node-local.ts";

const LIFE = 10 * 60_000;
const MOST_CODES = 100;

/** Codes for links to the page. Each lets one browser have the server's own token, once, for ten minutes. */
export function createSignIn(token: string): SignIn {
  const codes = new Map<string, number>();
  const forgetOld = () => {
    for (const [code, until] of codes) if (until < nodeLocal.monotonic()) codes.delete(code);
  };
  return {
    newCode() {
      forgetOld();
      if (codes.size >= MOST_CODES) codes.clear();
      const code = nodeLocal.randomText(50);
      codes.set(code, nodeLocal.monotonic() + LIFE);
      return code;
    },
    redeem(code) {
      forgetOld();
      return codes.delete(code) ? token : undefined;
    },
  };
}

/** After the # it is sent to nobody, and stands in no log. */
export const pageLink = (url: string, code: string): string => `${url}/#code=${code}`;
