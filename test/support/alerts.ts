import { nodePost } from "../../cli/host/outbound.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import type { Local } from "../../src/ports/within-time.ts";
import type { Context } from "../../src/storage/client/context.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { BY } from "./by.ts";
import { heardLog } from "./heard.ts";
import { answering } from "./live.ts";

/** A webhook that receives a database's alerts over a socket: `receive` delivers what is due, and returns all lines. */
export async function alertsOf({ context, local }: { readonly context: Context; readonly local: Local }) {
  const store = createNotifyStore(context, [await importKek(new Uint8Array(32).fill(1))]);
  const { url, requests } = await answering(() => ({ body: "" }));
  const channel = { name: "ops", kind: "webhook", level: "alert", quiet: null, isDaily: false } as const;
  await store.addChannel(channel, { url }, BY);
  const notify = { store, post: nodePost([new URL(url).host]) };
  return async (): Promise<string[]> => {
    await deliver({ notify, local, log: heardLog });
    return requests.flatMap(({ body }) => (JSON.parse(body) as { lines: string[] }).lines);
  };
}
