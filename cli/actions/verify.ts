import { createHash, createPublicKey, verify } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { messageOf } from "../../src/kernel/errors.ts";
import { pluralize } from "../../src/kernel/plain-text.ts";
import { filesOf, MANIFEST, recordOf, SIGNATURE } from "../build/manifest.mjs";
import { packageFolder } from "../host/directories.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";

const FileRecord = z.strictObject({
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sums: z.tuple([z.string().regex(/^\d{1,20}$/), z.string().regex(/^\d{1,30}$/)]),
});

const Manifest = z.strictObject({
  name: z.literal("edgemaker"),
  version: z.string(),
  commit: z.string(),
  files: z.record(z.string(), FileRecord),
});

type FileRecord = z.output<typeof FileRecord>;

/** Compares the installed files, or those of a folder, with their manifest. Returns exit code 1 if one differs. */
export async function verifyInstall(values: Values): Promise<number> {
  const folder = values.folder === undefined ? packageFolder() : String(values.folder);
  const file = values.manifest === undefined ? join(folder, MANIFEST) : String(values.manifest);
  if (!existsSync(file))
    throw new UsageError(
      `${file} does not exist: this is no package, and git shows what differs in a checkout`,
    );
  const bytes = readFileSync(file);
  const { signedBy, signatureProblem } = signatureOf(bytes, join(dirname(file), SIGNATURE), values.key);
  const { data: manifest, error } = Manifest.safeParse(jsonIn(bytes));
  if (!manifest) throw new Error(`${file} is not a manifest: ${error?.issues[0]?.path.join(".")}`);
  const { version, commit, files } = manifest;
  const problems = [...(signatureProblem ? [signatureProblem] : []), ...changedFiles(folder, files)];
  print(values, {
    version,
    commit,
    signedBy,
    folder,
    files: values.json
      ? Object.entries(files).map(([name, { sha256 }]) => ({ file: name, sha256 }))
      : pluralize(Object.keys(files).length, "file"),
    valid: problems.length === 0,
    problems: values.json ? problems : problems.join("\n") || "none",
  });
  return problems.length === 0 ? 0 : 1;
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Checks the manifest's signature with the key that the user has from the release page. */
function signatureOf(bytes: Uint8Array, file: string, key: Values[string] | undefined) {
  if (key === undefined) {
    const signedBy = existsSync(file) ? "not checked: add --key" : "nobody";
    return { signedBy, signatureProblem: undefined };
  }
  const spki = `-----BEGIN PUBLIC KEY-----\n${String(key)}\n-----END PUBLIC KEY-----\n`;
  let publicKey: ReturnType<typeof createPublicKey>;
  try {
    publicKey = createPublicKey(spki);
  } catch (error) {
    throw new UsageError(`--key must be a public key in one line of base64 (${messageOf(error)})`);
  }
  if (!existsSync(file)) return { signedBy: "nobody", signatureProblem: "the manifest is not signed" };
  const signature = Buffer.from(readFileSync(file, "utf8"), "base64");
  return verify(null, bytes, publicKey, signature)
    ? { signedBy: String(key), signatureProblem: undefined }
    : { signedBy: "another key", signatureProblem: "the signature of the manifest is not of this key" };
}

/** Returns a sentence for each file that differs, is missing, or is not in the manifest. */
function changedFiles(folder: string, files: Readonly<Record<string, FileRecord>>): readonly string[] {
  const present = new Set(filesOf(folder));
  const added = [...present].filter(
    (file) => !Object.hasOwn(files, file) && file !== MANIFEST && file !== SIGNATURE,
  );
  const changed = Object.entries(files).flatMap(([file, record]) => {
    if (!present.has(file)) return [`${file}: missing`];
    const path = join(folder, file);
    if (!lstatSync(path).isFile()) return [`${file}: not a file`];
    const problem = differenceOf(readFileSync(path), record);
    return problem === undefined ? [] : [`${file}: ${problem}`];
  });
  return [...changed, ...added.map((file) => `${file}: not in the manifest`)];
}

function differenceOf(bytes: Uint8Array, { size, sha256, sums }: FileRecord): string | undefined {
  const found = recordOf(bytes);
  if (found.sha256 === sha256) return undefined;
  const hashes = `sha256 ${found.sha256}, not ${sha256}`;
  if (found.size !== size) return `${found.size} bytes, not ${size}; ${hashes}`;
  return `${changedByte(bytes, [BigInt(found.sums[0]), BigInt(found.sums[1])], { sha256, sums }) ?? "more than one byte differs"}; ${hashes}`;
}

/**
 * Names the one byte that differs. The difference of the first sums is the difference of the byte; divided into that of
 * the weighted sums, it gives the place. The hash of the repaired file proves both. Undefined if more bytes differ.
 */
function changedByte(
  bytes: Uint8Array,
  [sum, weighted]: readonly [bigint, bigint],
  { sha256, sums }: Pick<FileRecord, "sha256" | "sums">,
): string | undefined {
  const by = sum - BigInt(sums[0]);
  if (by === 0n) return undefined;
  const at = Number((weighted - BigInt(sums[1])) / by);
  const is = bytes[at];
  const was = (is ?? 0) - Number(by);
  if (is === undefined || was < 0 || was > 255) return undefined;
  const repaired = Buffer.from(bytes);
  repaired[at] = was;
  if (createHash("sha256").update(repaired).digest("hex") !== sha256) return undefined;
  return `byte ${at} is ${hex(is)}, not ${hex(was)}`;
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, "0")}`;
