import { plainText } from "./plain-text.ts";

/** Text that is text in a page too, within a tag's content or a quoted attribute. */
export const escaped = (text: string): string =>
  plainText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
