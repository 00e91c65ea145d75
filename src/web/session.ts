import { createValue } from "./value.ts";

const KEY = "edgemaker.token";

/** The API token, for as long as this tab is open; and why there is none any more. */
export const signIn = createValue<{ readonly token: string | undefined; readonly why?: string }>({
  token: sessionStorage.getItem(KEY) ?? undefined,
});

export const tokenNow = (): string | undefined => signIn.get().token;

export function signedIn(token: string): void {
  sessionStorage.setItem(KEY, token);
  signIn.set({ token });
}

export function signedOut(why?: string): void {
  sessionStorage.removeItem(KEY);
  signIn.set({ token: undefined, ...(why === undefined ? {} : { why }) });
}

/** The code of a link that a server has printed, which is taken out of the address at once. */
export function takeCode(): string | undefined {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", "/");
  return code;
}
