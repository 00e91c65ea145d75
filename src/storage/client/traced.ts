import type { InStatement } from "@libsql/client";
import type { SpanAttributes, Tracer } from "../../ports/tracer.ts";
import type { SafeClient } from "./calls.ts";

/** Traces each call, including its wait in the queue. Only the first word of a statement is recorded. */
export function traced(client: SafeClient, tracer: Tracer | undefined): SafeClient {
  if (!tracer) return client;
  const measured = <T>(verb: string, call: () => Promise<T>, more: SpanAttributes = {}): Promise<T> =>
    tracer.span(`db ${verb}`, { "db.system.name": "sqlite", "db.operation.name": verb, ...more }, call);
  return {
    ...client,
    execute: (statement, use) => measured(verbOf(statement), () => client.execute(statement, use)),
    unwaited: (...statements) =>
      measured(statements.map(verbOf).at(-1) ?? "", () => client.unwaited(...statements)),
    fresh: (statement, use) => measured(verbOf(statement), () => client.fresh(statement, use)),
    batch: (statements, mode, use) =>
      measured("BATCH", () => client.batch(statements, mode, use), {
        "db.operation.batch.size": statements.length,
      }),
    stamp: () => measured("STAMP", client.stamp),
    turn: (act, isFirst) => measured("TURN", () => client.turn(act, isFirst)),
  };
}

const verbOf = (statement: InStatement): string =>
  (/^\s*(\w+)/.exec(typeof statement === "string" ? statement : statement.sql)?.[1] ?? "").toUpperCase();
