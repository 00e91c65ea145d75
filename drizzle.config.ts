import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/adapters/libsql/tables.ts", "./src/adapters/libsql/venue-tables.ts"],
  out: "./drizzle",
});
