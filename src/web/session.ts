import { useState } from "hono/jsx/dom";
import { useEffect } from "./effect.ts";

const KEY = "edgemaker.token";

/** The API token for as long as a tab of the page is open, and why it is missing. */
export const signIn = createValue<{ readonly token: string | undefined; readonly why?: string }>({
  token: sessionStorage.getItem(KEY) ?? undefined,
});

export const tokenNow = (): string | undefined => signIn.get().token;

type TabMessage = { readonly query: true } | { readonly token: string } | { readonly ended: string };

/** Open tabs of this page share one sign-in; nothing is stored after the last one closes. */
const tabs = new BroadcastChannel("edgemaker.session");
const post = (message: TabMessage): void => tabs.postMessage(message);
tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  const token = tokenNow();
  if ("query" in data) token === undefined || post({ token });
  else if ("token" in data) token === undefined && keepToken(data.token);
  else if (data.ended === token) end();
};

function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
  signIn.set({ token });
}

export function signedIn(token: string): void {
  keepToken(token);
  post({ token });
}

function end(why?: string): void {
  sessionStorage.removeItem(KEY);
  signIn.set({ token: undefined, ...(why === undefined ? {} : { why }) });
}

export function signedOut(why?: string): void {
  const token = tokenNow();
  end(why);
  if (token !== undefined) post({ ended: token });
}

/** Returns the code of a server's link, and removes it from the address at once. */
export function takeCode(): string | undefined {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", location.pathname);
  else if (tokenNow() === undefined) post({ query: true });
  return code;
}

/** A value that the whole page shares. */
interface Value<T> {
  get(): T;
  set(next: T): void;
  hear(listener: (now: T) => void): () => void;
}

export function createValue<T>(first: T): Value<T> {
  let now = first;
  const listeners = new Set<(now: T) => void>();
  return {
    get: () => now,
    set(next) {
      now = next;
      for (const listener of [...listeners]) listener(next);
    },
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether the kill switch is on; undefined while this is unknown. */
export const isKillSwitchOn = createValue<boolean | undefined>(undefined);

export function useValue<T>(value: Value<T>): T {
  const [now, setNow] = useState(value.get());
  useEffect(() => {
    setNow(value.get());
    return value.hear((next) => setNow(next));
  }, [value]);
  return now;
}
