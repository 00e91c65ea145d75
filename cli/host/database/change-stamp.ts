import type Libsql from "libsql";
import type { Stamp } from "../../../src/adapters/libsql/client/calls.ts";

/** Another number after each commit of another connection to the same file; one's own change nothing of it. */
const OF_OTHERS = "pragma data_version";
/** Rows that this connection has changed, whether or not they were committed; and the time. */
const OF_OURS = "select total_changes(), cast(unixepoch('subsec') * 1000 as integer)";

/** Tells whether anything in the file has changed since, for a tenth of what a read takes. `epoch` is this connection's own. */
export function changeStamp(database: Libsql.Database, epoch: number): () => Stamp {
  const [others, ours] = [OF_OTHERS, OF_OURS].map((sql) => database.prepare(sql).raw(true)) as [
    Libsql.Statement,
    Libsql.Statement,
  ];
  return () => {
    const [version] = others.get() as [number];
    const [changed, now] = ours.get() as [number, number];
    return { changes: `${epoch} ${version} ${changed}`, now };
  };
}
