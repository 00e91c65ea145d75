import { isCancel, select } from "@clack/prompts";

const CHOICES = [
  { value: "demo", label: "Watch the demo", hint: "simulated exchanges: no keys, no money" },
  { value: "grid new --dry-run", label: "Try paper trading", hint: "live prices, simulated fills: no keys" },
  { value: "setup", label: "Set up", hint: "enter exchange keys; edgemaker tests and stores them" },
  { value: "docs tutorial", label: "Read the tutorial", hint: "from the demo to a live grid of 50 USDT" },
  { value: "docs", label: "Read the guides", hint: "they are installed with the program" },
] as const;

/** Asks what to do when no command is named. Returns the words of a command; undefined after Ctrl-C. */
export async function askForCommand(): Promise<readonly string[] | undefined> {
  const choice = await select({ message: "What do you want to do?", options: [...CHOICES] });
  if (isCancel(choice)) return undefined;
  return choice.split(" ");
}
