// Runs command lines one after the other in one process: [{ args, cwd? }] on standard input, what became of each on standard output.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { currentBundle } from "../../cli/build/current.cjs";

const { runCommandLine } = await import(pathToFileURL(await currentBundle()).href);
const answer = process.stdout.write.bind(process.stdout);
const ran = [];
for (const { args, cwd } of JSON.parse(readFileSync(0, "utf8"))) {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    process[name].write = (part) => {
      output[name] += String(part);
      return true;
    };
  if (cwd !== undefined) process.chdir(cwd);
  ran.push({ code: await runCommandLine(args), ...output });
}
answer(JSON.stringify(ran));
