import { createValue, useValue } from "./session.ts";

/** Returns the route; a hash that is none, such as a link's code or `#/%`, is the first page. */
const here = () => {
  const path = /^#\/(.*)$/.exec(location.hash)?.[1] ?? "";
  try {
    decodeURIComponent(path.split("?")[0] ?? "");
    return path;
  } catch {
    return "";
  }
};
const route = createValue(here());
addEventListener("hashchange", () => route.set(here()));

/** Returns the words after `#/`, and the parameters after its `?`. */
export function useRoute(): { readonly words: readonly string[]; readonly query: URLSearchParams } {
  const [path = "", query = ""] = useValue(route).split("?");
  return { words: path.split("/").map(decodeURIComponent), query: new URLSearchParams(query) };
}

export const linkTo = (...words: readonly string[]): string => `#/${words.map(encodeURIComponent).join("/")}`;
export const goTo = (...words: readonly string[]): void => {
  location.hash = linkTo(...words);
};
