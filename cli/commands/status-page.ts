import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

export const statusPageCommand = command({
  name: "status-page",
  description: "Build a public status page of your liquidity",
  subCommands: {
    build: command({
      name: "status-page build",
      description: "Write a page with today's obligations and 90 days of uptime, to publish on any host",
      args: {
        out: { type: "string", description: "Folder of the page (default status-page)", valueHint: "folder" },
        maker: { type: "string", description: "Name of the market maker", valueHint: "name" },
        amounts: { type: "boolean", description: "Also show rules with amounts in quote, as depths" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).buildStatusPage(values),
    }),
  },
});
