import { describe, expect, it } from "vitest";
import { isPrivate, nodePost } from "../../cli/host/outbound.ts";
import { fetchPost } from "../../src/adapters/outbound.ts";
import { answering } from "../support/live.ts";

const message = (url: string) => ({ url, headers: {}, body: "{}" });

describe("a refused address", () => {
  it.each([
    "http://hooks.example/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://localhost/x",
    "https://localhost./x",
    "https://db.internal./x",
    "https://db.internal/x",
    "https://printer.local/x",
    "https://intranet/x",
    "https://user:password@hooks.example/x",
    "https://169.254.169.254/latest/meta-data",
  ])("is %s", async (url) => {
    await expect(nodePost([])(message(url), 1000)).rejects.toThrow(/address must/);
    const never = () => Promise.reject(new Error("it was asked"));
    await expect(fetchPost(never, [])(message(url), 1000)).rejects.toThrow(/address must/);
  });

  it.each([
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "fd00::1",
    "fe80::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
  ])("is a name that resolves to %s", async (address) => {
    expect(isPrivate(address)).toBe(true);
    const family = address.includes(":") ? 6 : 4;
    const post = nodePost([], (_host, _options, report) =>
      report(null, [
        { address: "93.184.215.14", family: 4 },
        { address, family },
      ]),
    );
    await expect(post(message("https://hooks.example/x"), 1000)).rejects.toThrow(/private address/);
  });

  it("is never a public one", () => {
    for (const address of ["1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700::1111"])
      expect(isPrivate(address), address).toBe(false);
  });

  it("is reached if the operator allows it, and its redirects are not followed", async () => {
    const inner = await answering(() => ({ body: "" }));
    const outer = await answering(() => ({ status: 302, body: "", headers: { location: inner.url } }));
    const named = [new URL(outer.url).host, new URL(inner.url).host];
    for (const post of [nodePost(named), fetchPost(fetch, named)])
      expect((await post(message(outer.url), 5000)).status).toBe(302);
    expect(inner.requests).toHaveLength(0);
    expect(outer.requests).toHaveLength(2);
  });
});
