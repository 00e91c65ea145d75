import { expect, it } from "vitest";
import { serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

it("the page's files are served compressed by the build, under names that match their content", async () => {
  const server = await serve(tempFolder(), ["--sandbox", "--tick-interval", "60000"]);
  const page = await server.ask("/", { headers: { accept: "text/html" } });
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const names = [...(await page.text()).matchAll(/\bstatic\/page\/(main[^"]+)/g)].map(([, name]) => name);
  expect(names).toEqual([
    expect.stringMatching(/^main-[A-Z0-9]{8}\.css$/),
    expect.stringMatching(/^main-[A-Z0-9]{8}\.js$/),
  ]);
  for (const name of names) {
    const get = (encoding: string) =>
      fetch(`${server.url}/static/page/${name}`, { headers: { "accept-encoding": encoding } });
    const [plain, zipped, smallest] = await Promise.all(["identity", "gzip", "gzip, br"].map(get));
    const bytes = async (response: Response | undefined) =>
      Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer(0));
    const [text, unzipped, unpacked] = [await bytes(plain), await bytes(zipped), await bytes(smallest)];
    expect(plain?.headers.get("content-encoding")).toBeNull();
    expect(zipped?.headers.get("content-encoding")).toBe("gzip");
    expect(smallest?.headers.get("content-encoding")).toBe("br");
    // fetch has decompressed them.
    expect(unzipped.equals(text) && unpacked.equals(text)).toBe(true);
    for (const response of [plain, zipped, smallest])
      expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      });
  }
});
