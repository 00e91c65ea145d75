import { useLoad } from "../live.ts";
import type { Definitions } from "../types.ts";
import { NoticeBox } from "../ui.tsx";

/** How often the page asks whether the files have changed. */
const FILES_INTERVAL_MS = 10_000;

const shortHash = (hash: string) => <code>{hash.slice(0, 12)}</code>;

/** Identifies the code that runs, and tells if the files on disk are other ones; nothing for a definition without files. */
export function OwnCode({ name }: { name: string }) {
  const list = useLoad<Definitions>("GET /definitions", {}, { every: FILES_INTERVAL_MS });
  const [loaded, now] = list.data?.definitions.find((one) => one.name === name)?.fileHashes ?? [];
  if (loaded === undefined) return null;
  if (now === undefined) return <p class="quiet">Its code is {shortHash(loaded)}, the same as on disk.</p>;
  return (
    <NoticeBox kind="warning">
      {now === "missing" ? (
        "Its file is no longer on disk"
      ) : now === "unreadable" ? (
        "Its file on disk cannot be read"
      ) : (
        <>Its file on disk has changed: {shortHash(now)}</>
      )}
      . The server still runs the code that it loaded, {shortHash(loaded)}, until you restart it.
    </NoticeBox>
  );
}
