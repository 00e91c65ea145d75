/** Files that the build put next to the bundle: the page, and the page at /docs. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Asset, PageFiles } from "../../src/transport/page.ts";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

const ENCODINGS = [
  ["br", "br"],
  ["gzip", "gz"],
] as const;

const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** Returns a file, from memory after the first request. */
export const builtAsset: Asset = async (name, accepted = "") => {
  const type = TYPES[/^(?:page|swagger-ui)\/[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/.exec(name)?.[1] ?? ""];
  if (type === undefined || !existsSync(builtFile(name))) return undefined;
  const found = ENCODINGS.find(
    ([encoding, ending]) => isAccepted(encoding, accepted) && existsSync(builtFile(`${name}.${ending}`)),
  );
  return found
    ? { body: await content(`${name}.${found[1]}`), type, encoding: found[0] }
    : { body: await content(name), type };
};

/** Returns the names of the page's files in this build. */
export const builtPageFiles = async (): Promise<PageFiles> =>
  JSON.parse(new TextDecoder().decode(await content("page/files.json")));

const builtFile = (name: string) => new URL(name, import.meta.url);

function content(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = contents.get(name) ?? readFile(builtFile(name)).then((bytes) => new Uint8Array(bytes));
  contents.set(name, known);
  return known;
}

const isAccepted = (encoding: string, accepted: string): boolean =>
  accepted
    .split(",")
    .some((part) => new RegExp(`^\\s*${encoding}\\s*(;\\s*q=(?!0(\\.0*)?\\s*$).*)?$`).test(part));
