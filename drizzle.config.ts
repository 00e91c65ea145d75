import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/adapters/libsql/tables/*.ts",
  out: "./drizzle",
});
