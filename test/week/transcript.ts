const HEAD = `# A week

This page shows one week with one grid, command by command. The commands are real, over sockets, against an emulated exchange.
The prices, the faults and the clock are scripted. \`npm run docs\` runs it again and writes this page.`;

/** What was typed and read, as a page. What no two tellings have in common is made the same, and nothing else. */
export function transcript(folder: string) {
  const parts: string[] = [HEAD];

  const stable = (text: string): string =>
    text
      .replaceAll(folder, "~")
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:3000")
      // The name of the machine, and of the process.
      .replace(/\b[\w.-]+:\d+(?= is back:| takes over|: nobody)/g, "laptop:4711")
      .replace(/(?<= takes over from )[\w.-]+:\d+/g, "laptop:4700");

  const block = (lines: string) => void parts.push(`\`\`\`console\n${stable(lines).trimEnd()}\n\`\`\``);

  return {
    says: (text: string) => void parts.push(text),
    command: (line: string, answer: string, code: number) =>
      block(`$ edgemaker ${line}\n${answer}${code === 0 ? "" : `$ echo $?\n${code}\n`}`),
    terminal: block,
    text: (): string => `${parts.join("\n\n")}\n`,
  };
}
