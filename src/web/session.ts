import { createValue } from "./value.ts";

const KEY = "edgemaker.token";

/** The API token for as long as this tab is open, and why it is missing. */
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

/** Returns the code of a server's link, and removes it from the address at once. */
export function takeCode(): string | undefined {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", "/");
  return code;
}
