import { DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

export const pageCommand = command({
  name: "page",
  description: "Print a link that signs your browser in, once",
  args: { db: DATABASE_ARGS.db, sandbox: DATABASE_ARGS.sandbox },
  run: async (values) => {
    const { newPageLink } = await import("../actions/actions.ts");
    process.stdout.write(`${await newPageLink(values)}\n`);
    return 0;
  },
});
