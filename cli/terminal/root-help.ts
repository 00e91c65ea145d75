/** The help of the whole command line, of what the build has kept: it needs none of the commands. Built into a file of its own. */
import type { CommandDef } from "citty";
import type { Meta } from "./command.ts";
import { helpOf } from "./help.ts";
import { terminalColumns } from "./style.ts";

interface Named {
  readonly meta: Meta;
}

/** Commands by their names, and what each tells of itself, in JSON. */
export interface RootTold extends Named {
  readonly subCommands: Readonly<Record<string, Named>>;
}

const namedOf = ({ meta }: CommandDef): Named => ({ meta: (meta ?? {}) as Meta });

export const rootToldOf = (root: CommandDef): RootTold => ({
  ...namedOf(root),
  subCommands: Object.fromEntries(
    Object.entries((root.subCommands ?? {}) as Record<string, CommandDef>).map(([name, one]) => [
      name,
      namedOf(one),
    ]),
  ),
});

/** As `edgemaker --help` prints it. */
export const rootHelp = (told: RootTold): string =>
  helpOf(told as unknown as CommandDef, [], terminalColumns());
