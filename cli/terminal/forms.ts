import type { Operation } from "../../src/operation.ts";
import type { ConfigForm } from "../../src/ports/config-form.ts";
import type { Kind } from "../../src/ports/kind.ts";

/** A form of a definition on the command line: the flags of its start, and the operations that they are for. */
export interface FormCommand {
  readonly form: ConfigForm;
  readonly kind: Kind;
  /** Has the config's fields beside the options; no interface serves it. */
  readonly flat: Operation;
  readonly preview: Operation;
  readonly start: Operation;
}

/** Returns the input of a start or preview from that of its command. */
export function nestedStart(
  { definition, config, fixed = {} }: ConfigForm,
  flat: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const own = config().shape;
  const part = (isConfig: boolean) =>
    Object.fromEntries(Object.entries(flat).filter(([field]) => Object.hasOwn(own, field) === isConfig));
  return { definition, ...part(false), config: { ...part(true), ...fixed } };
}

/** A definition whose running strategies can be changed: the flags of a change, and the operations that they are for. */
export interface EditCommand {
  readonly form: ConfigForm;
  readonly kind: Kind;
  /** Has the config's fields beside the id; no interface serves it. */
  readonly flat: Operation;
  readonly status: Operation;
  readonly preview: Operation;
  readonly edit: Operation;
}
