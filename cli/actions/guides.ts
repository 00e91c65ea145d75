import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../../src/kernel/plain-text.ts";
import { packageFolder } from "../host/directories.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";

/**
 * Prints a guide that is installed with the program, a section of it (`grids#stop-prices`), or what an error label or
 * another code means. Without a topic it lists the guides. Returns the exit code.
 */
export function showGuide(values: Values): number {
  const guides = installedGuides();
  if (values.topic === undefined) return print(values, values.json ? listOf(guides) : topicGroups(guides));
  const topic = String(values.topic);
  const text = guideText(topic, guides);
  if (values.json) return print(values, { topic, text });
  process.stdout.write(`${process.stdout.isTTY ? withoutLinks(text) : text}\n`);
  return 0;
}

type Guides = ReadonlyMap<string, string>;

function installedGuides(): Guides {
  const folder = join(packageFolder(), "docs");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  if (files.length === 0) throw new Error("this program was installed without its guides");
  return new Map(
    files.map((name) => [name.slice(0, -".md".length), readFileSync(join(folder, name), "utf8")]),
  );
}

/** Returns a guide's text for a terminal, which follows no links: each names the command that shows its target. */
export const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_link, words: string, target: string) => {
    const guide = /^([\w-]+)\.md(#.*)?$/.exec(target);
    if (guide) return `${words} (edgemaker docs ${guide[1]}${guide[2] ?? ""})`;
    return target.startsWith("http") ? `${words} (${target})` : words;
  });

const HOW_TO_READ = "edgemaker docs TOPIC prints one";

/** Returns the topics with their titles, in the order of the index. */
function listOf(guides: Guides) {
  const all = new Map(sections(guides).flatMap(([, topics]) => topics.map((one) => [one.topic, one])));
  return { guides: [...all.values()], next: HOW_TO_READ };
}

const topicGroups = (guides: Guides) => ({ ...Object.fromEntries(sections(guides)), next: HOW_TO_READ });

/** Returns the sections of the index with their topics. */
function sections(guides: Guides) {
  const [, ...parts] = (guides.get("README") ?? "").split(/^## /m);
  return parts.map((part) => {
    const topics = [...part.matchAll(/\[[^\]]+\]\(([\w-]+)\.md[^)]*\)/g)].map(([, topic]) => topic as string);
    const titled = [...new Set(topics)].map((topic) => ({
      topic,
      title: /^# (.+)$/m.exec(guides.get(topic) ?? "")?.[1] ?? topic,
    }));
    return [part.slice(0, part.indexOf("\n")), titled] as const;
  });
}

function guideText(topic: string, guides: Guides): string {
  const [name = "", heading] = topic.replace(/^docs\//, "").split("#");
  const guide = guides.get(name.replace(/\.md$/, ""));
  if (guide) return heading === undefined ? guide.trimEnd() : sectionOf(guide, heading, topic);
  const rows = errorRows(guides.get("errors") ?? "", topic);
  if (rows.length > 0) return rows.join("\n\n");
  throw new UsageError(
    `there is no guide ${topic}; edgemaker docs lists them${didYouMean(topic, [...guides.keys()])}`,
  );
}

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

function sectionOf(guide: string, heading: string, topic: string): string {
  const parts = guide.split(/^(?=#{1,6} )/m);
  const at = parts.findIndex((part) => slugOf(/^#+ (.+)/.exec(part)?.[1] ?? "") === heading);
  if (at < 0) throw new UsageError(`there is no section ${topic}`);
  const levelOf = (part: string) => /^#+/.exec(part)?.[0].length ?? 0;
  const end = parts.findIndex((part, place) => place > at && levelOf(part) <= levelOf(parts[at] ?? ""));
  return parts
    .slice(at, end < 0 ? undefined : end)
    .join("")
    .trimEnd();
}

/** Returns what the tables of codes say about one, each with its section. */
function errorRows(errors: string, code: string): readonly string[] {
  let section = "";
  return errors.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) section = line.slice("## ".length);
    const [first = "", ...cells] = line
      .replace(/^\| | \|$/g, "")
      .split(" | ")
      .map((cell) => cell.trim());
    const codes = [...first.matchAll(/`([^`]+)`/g)].map(([, word]) => word?.toLowerCase());
    return line.startsWith("| `") && codes.includes(code.toLowerCase())
      ? [`${code} (${section})\n${cells.join(": ")}`]
      : [];
  });
}
