import { createValue, useValue } from "./value.ts";

/** A hash that names no page, as a link's code does not, is the first page's. */
const here = () => /^#\/(.*)$/.exec(location.hash)?.[1] ?? "";
const route = createValue(here());
addEventListener("hashchange", () => route.set(here()));

/** The words after `#/`, and what stands behind its `?`. */
export function useRoute(): { readonly words: readonly string[]; readonly query: URLSearchParams } {
  const [path = "", query = ""] = useValue(route).split("?");
  return { words: path.split("/").map(decodeURIComponent), query: new URLSearchParams(query) };
}

export const linkTo = (...words: readonly string[]): string => `#/${words.map(encodeURIComponent).join("/")}`;
export const goTo = (...words: readonly string[]): void => {
  location.hash = linkTo(...words);
};
