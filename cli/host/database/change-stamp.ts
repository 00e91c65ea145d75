import type Libsql from "libsql";
import type { Stamp } from "../../../src/storage/client/calls.ts";

/** Number that changes after each commit of another connection to the same file, but not after our own. */
const OF_OTHERS = "pragma data_version";
/** Number of rows that this connection has changed, committed or not, and the time. */
const OF_OURS = "select total_changes(), cast(unixepoch('subsec') * 1000 as integer)";

/**
 * Returns a stamp that shows whether the file has changed, in a tenth of a read's time. `epoch` belongs to this
 * connection.
 */
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
