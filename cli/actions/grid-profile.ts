import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Issue, messageOf } from "../../src/kernel/errors.ts";
import { lazy } from "../../src/kernel/lazy.ts";
import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import { misreadOf } from "../terminal/refused.ts";

const Profile = lazy(() =>
  z.strictObject({
    name: z.string().optional(),
    description: z.string().optional(),
    levels: z.number().optional(),
    spacingModel: z.string().optional(),
    baseSpacing: z.number().optional(),
    spacingFactor: z.number().optional(),
    sizeModel: z.string().optional(),
    baseSize: z.number().optional(),
    customSpacings: z.array(z.number()).optional(),
    sizeWeights: z.array(z.number()).optional(),
  }),
);

/** Fields with other names in a profile. */
const PROFILE_NAMES: Readonly<Record<string, string>> = { spacing: "baseSpacing", size: "baseSize" };

/**
 * Returns an operation's input from flags and a profile, whose values win, and why it is invalid. Throws UsageError if
 * the profile is the reason.
 */
export function profiledInput(
  operation: Operation,
  values: Values,
  usual: Record<string, unknown> = {},
  /** Checks relations between fields that the operation's own input does not have. */
  check: (input: Record<string, unknown>) => Answer | undefined = () => undefined,
) {
  const file = values["grid-profile"] === undefined ? undefined : String(values["grid-profile"]);
  const profile = file === undefined ? {} : readProfile(file);
  const input: Record<string, unknown> = { ...usual, ...inputOf(operation, values), ...profile };
  const misread = misreadOf(operation, input) ?? check(input);
  if (misread && file !== undefined) blameProfile(file, profile, misread);
  return { input, misread };
}

/** Returns a profile's values by field name. Throws with the field's path if it is invalid. */
function readProfile(file: string): Record<string, unknown> {
  const { name: _name, description: _description, baseSpacing, baseSize, ...same } = parse(file);
  const fields = { ...same, spacing: baseSpacing, size: baseSize };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Throws with the profile's file and field if the refused value is from the profile. */
function blameProfile(file: string, profile: Record<string, unknown>, { body }: Answer): void {
  const [issue] = (body as { issues?: readonly Issue[] }).issues ?? [];
  const [field = "", ...rest] = issue?.path.split(".") ?? [];
  if (!issue || !Object.hasOwn(profile, field)) return;
  const path = [PROFILE_NAMES[field] ?? field, ...rest].join(".");
  throw new UsageError(`--grid-profile ${file}: ${path}: ${issue.message}`);
}

function parse(file: string): z.output<ReturnType<typeof Profile>> {
  const parsed = Profile().safeParse(readProfileFile(file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw new UsageError(`--grid-profile ${file}: ${where}${issue?.message}`);
}

function readProfileFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--grid-profile ${file} cannot be read: ${messageOf(error)}`);
  }
}
