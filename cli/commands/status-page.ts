import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

export const statusPageCommand = command({
  name: "status-page",
  description: "Build a public status page of your liquidity",
  subCommands: {
    build: command({
      name: "status-page build",
      description: "Write a page with today's obligations and 90 days of uptime, to publish on any host",
      args: {
        out: textFlag("Folder of the page (default status-page)", "folder"),
        maker: textFlag("Name of the market maker", "name"),
        amounts: switchFlag("Also show rules with amounts in quote, as depths"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).buildStatusPage(values),
    }),
  },
});
