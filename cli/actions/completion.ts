import type { CommandDef } from "citty";
import type { Args } from "../terminal/arguments.ts";
import type { Meta } from "../terminal/command.ts";

interface Node {
  /** Words of the command; empty for the root. */
  readonly path: string;
  readonly commands: readonly (readonly [name: string, description: string])[];
  readonly flags: readonly {
    readonly name: string;
    readonly takesValue: boolean;
    readonly description: string;
  }[];
}

/** Returns a script that completes every command and flag in a shell. */
export function completion(shell: string, root: CommandDef): string {
  const nodes = nodesOf(root, "");
  switch (shell) {
    case "fish":
      return fish(nodes);
    case "zsh":
      return `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\nautoload -Uz +X bashcompinit && bashcompinit\n${bash(nodes)}`;
    default:
      return bash(nodes);
  }
}

function nodesOf(found: CommandDef, path: string): Node[] {
  const commands = Object.entries((found.subCommands ?? {}) as Record<string, CommandDef>);
  const named = commands.flatMap(([name, made]) => {
    const { alias = [], description = "" } = (made.meta ?? {}) as Meta;
    return [name, ...[alias].flat()].map((one) => [one, description, made] as const);
  });
  const flags = Object.entries((found.args ?? {}) as Args).map(([name, { type, description = "" }]) => ({
    name: `--${name}`,
    takesValue: type !== "boolean",
    description,
  }));
  const node = { path, commands: named.map(([name, description]) => [name, description] as const), flags };
  return [node, ...named.flatMap(([name, , made]) => nodesOf(made, path === "" ? name : `${path} ${name}`))];
}

const bash = (nodes: readonly Node[]): string => `_edgemaker_words() {
  case "$1" in
${nodes.map(({ path, commands, flags }) => `    "${path}") echo "${[...commands.map(([name]) => name), ...[...flags, HELP].map(({ name }) => name)].join(" ")}" ;;`).join("\n")}
  esac
}
_edgemaker() {
  local path="" word next place
  for ((place = 1; place < COMP_CWORD; place++)); do
    word="\${COMP_WORDS[place]}"
    next="\${path:+$path }$word"
    case "$word" in
      -*) ;;
      *) if [ -n "$(_edgemaker_words "$next")" ]; then path="$next"; fi ;;
    esac
  done
  COMPREPLY=($(compgen -W "$(_edgemaker_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _edgemaker edgemaker
`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, flags }) => {
    const at = `complete -c edgemaker -n ${quoted(`__edgemaker_at ${path}`)}`;
    return [
      ...commands.map(([name, output]) => `${at} -f -a ${quoted(name)} -d ${quoted(output)}`),
      ...[...flags, HELP].map(
        ({ name, takesValue, description }) =>
          `${at} -l ${name.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(description)}`,
      ),
    ];
  });
  const paths = nodes.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `set -g __edgemaker_paths ${paths.join(" ")}
function __edgemaker_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    contains -- $next $__edgemaker_paths; and set path $next
  end
  test "$path" = "$argv"
end
${lines.join("\n")}
`;
}

const HELP = { name: "--help", takesValue: false, description: "Show help for the command" };
