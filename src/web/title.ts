import { useEffect } from "./effect.ts";

/** Sets the title of the tab; without a text, it leaves it to a part of the page. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    if (text !== undefined) document.title = `${text} · edgemaker`;
  }, [text]);
}
