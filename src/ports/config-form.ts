import * as z from "zod";

/** A form of a definition's config: what can be started, changed and backtested, and the words of its commands. */
export interface ConfigForm {
  /** The definition that it belongs to. */
  readonly definition: string;
  /** Its word after `start`, `preview` and `backtest`. */
  readonly word: string;
  /** Describes what it starts, such as "a grid between two prices". */
  readonly what: string;
  /** Returns its other command for a verb, such as `quote start`. */
  readonly synonym?: (verb: string) => string;
  readonly config: () => z.ZodObject;
  /** Shorter names of its flags. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Descriptions of the numbers in an object field; each number gets a separate flag. */
  readonly parts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Defaults of its fields outside of HTTP. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Fields of the config that its command sets. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Whether it uses a budget; a grid's order sizes decide. */
  readonly takesBudget?: true;
  /** Whether a profile can supply its fields. */
  readonly takesProfile?: true;
  /** Flags of an example of a start. */
  readonly example: string;
}

/** Returns the form of a definition that a config names; the first one by default. */
export const configForm = <F extends Pick<ConfigForm, "fixed">>(
  forms: readonly [F, ...F[]],
  config: Readonly<Record<string, unknown>>,
): F =>
  forms.find(({ fixed = {} }) => Object.entries(fixed).every(([name, value]) => config[name] === value)) ??
  forms[0];

/** Returns the JSON schema of a form's config, which has no other fields, for programs and agents. */
export const formSchema = ({ config, word }: ConfigForm) => {
  const { $schema: _, ...schema } = z.toJSONSchema(config().strict(), {
    io: "input",
    unrepresentable: "any",
  });
  return { title: word, ...schema };
};
