import type { CommandDef } from "citty";
import { command } from "../terminal/command.ts";

/** Command that prints shell completion scripts for the commands of `root`. */
export function completionCommand(root: () => CommandDef): CommandDef {
  const shell = (name: string, example: string) =>
    command({
      name: `completion ${name}`,
      description: `Print the script for ${name}`,
      examples: [example],
      run: async () => {
        const { completion } = await import("../actions/actions.ts");
        process.stdout.write(completion(name, root()));
        return 0;
      },
    });
  return command({
    name: "completion",
    description: "Print a script for shell completion",
    subCommands: {
      bash: shell("bash", 'eval "$(edgemaker completion bash)"'),
      zsh: shell("zsh", 'eval "$(edgemaker completion zsh)"'),
      fish: shell("fish", "edgemaker completion fish | source"),
    },
  });
}
