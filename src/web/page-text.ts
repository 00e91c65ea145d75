/** Actions of the page, for the commands of a terminal that messages name. */
const ACTIONS: readonly (readonly [string, string])[] = [
  ["grid edit", "“Edit”"],
  ["quote edit", "“Edit”"],
  ["grid resume", "“Resume”"],
  ["grid stop <id> --sell-base", "“Stop and sell”"],
  ["grid stop", "“Stop”"],
  ["exchange test", "“Test” on the page Access"],
  ["exchange add", "“Exchange keys” on the page Access"],
  ["kill off", "turn it off at the top of the page"],
  ["kill on --cancel", "“Panic” at the top of the page"],
  ["limits set", "the page Limits"],
  ["notify list", "the page Alerts"],
];
const COMMAND = /`?edgemaker ((?:grid|quote|exchange|kill|limits|notify) [a-z-]+[^`;"\\]*)`?/g;

/** Replaces the commands in the text of a response by the actions of the page; other commands stay. */
export const pageText = (text: string): string =>
  text.replace(COMMAND, (command, words: string) => {
    const [, action = command] = ACTIONS.find(([start]) => words.startsWith(start)) ?? [];
    return action;
  });
