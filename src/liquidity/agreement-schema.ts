import * as z from "zod";
import { convertedField, dayField, textField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { DAY, parseTime } from "../kernel/time.ts";
import { PRESETS } from "../model/samples/promise.ts";
import { marketsText, SETTINGS_NAME, totalText } from "./agreement.ts";

const marketShape = () =>
  z.object({
    exchange: z.string().describe("Exchange id"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    preset: z.enum(PRESETS).describe("Preset of the rules"),
    terms: z.array(z.string()).describe("The rules of this market, as sentences"),
  });

const versionShape = () =>
  z.object({
    version: z.number().describe("1 for the creation"),
    at: z.number().describe("Milliseconds since 1970"),
    actor: z.string().describe("Token, agent or person that made the change"),
    changes: z.string().describe("What changed"),
  });

export const AgreementShape = lazy(() =>
  z.object({
    agreement: z.string().describe("Name of the agreement"),
    source: z.enum(["stored", "settings"]).describe("settings: from EDGEMAKER_LIQUIDITY"),
    state: z.enum(["planned", "active", "ended"]).describe("planned: before its first day"),
    counterparty: z.string().nullable().describe("Who it was made with"),
    from: z.string().nullable().describe("First day, in UTC; null for the settings"),
    until: z.string().nullable().describe("Last day, in UTC; null without an end"),
    markets: z.array(marketShape()).describe("Its markets with their rules"),
    unknownMarkets: z.array(z.string()).describe("Markets of exchanges that the settings do not list"),
    total: z.array(z.string()).describe("Rules of all markets of a pair together, as sentences"),
    text: z
      .object({
        markets: z.string().describe("Markets as in the input"),
        total: z.string().nullable().describe("Rules of the total as in the input"),
      })
      .describe("The same as in the input, to change it"),
    version: z.number().describe("Number of edits, with the creation"),
    changedAt: z.number().nullable().describe("Time of the last edit; null for the settings"),
  }),
);
export type AgreementAnswer = z.output<ReturnType<typeof AgreementShape>>;

export const AgreementListShape = lazy(() =>
  z.object({
    agreements: z.array(AgreementShape()).describe("The one of the settings first, then by name"),
    count: z.number(),
  }),
);

export const HistoryShape = lazy(() =>
  AgreementShape().extend({ history: z.array(versionShape()).describe("All edits, oldest first") }),
);

export const AgreementChangeShape = lazy(() =>
  AgreementShape().extend({ changes: z.string().describe("What changed; empty if nothing did") }),
);

const AGREEMENT_NAME = `agreement is a name of 1 to 40 letters, digits, - _ . that begins with a letter; ${SETTINGS_NAME} names the settings`;

/** The name of any agreement. */
export const nameField = () =>
  textField("Invalid request", /^[A-Za-z][\w.-]{0,39}$/, AGREEMENT_NAME).describe("Name of the agreement");

/** The name of a stored agreement. */
export const storedNameField = () =>
  nameField().refine((name) => name !== SETTINGS_NAME, `Invalid request: ${AGREEMENT_NAME}`);

const NONE = "none";

/** Text that a function turns into its stored form. `none` stands for null, if that is allowed. */
const parsedText = (sentence: string, read: (text: string) => string | undefined) => {
  const error = `Invalid request: ${sentence}`;
  return convertedField(z.string({ error }).max(4000, { error }), error, (text) => read(text.trim()));
};

const orNone = (read: (text: string) => string | undefined) => (text: string) =>
  text === NONE ? text : read(text);

/** Returns null for `none`. */
export const unlessNone = (text: string): string | null => (text === NONE ? null : text);

const TERMS = "spread, depth, band, levels and uptime";

/** Fields that a creation and an edit share. */
export const termsFields = (ids: readonly string[]) => ({
  markets: parsedText(
    `markets must be different exchange:BASE/QUOTE, separated by commas, of ${ids.join(", ")}, each optionally followed by a preset (${PRESETS.join(", ")}) and by values of ${TERMS}`,
    (text) => marketsText(text, ids),
  ).describe("Markets with their rules, as in EDGEMAKER_LIQUIDITY: mexc:SNEK/USDT spread=2 depth=500"),
  counterparty: textField(
    "Invalid request",
    /^[^<>]{1,80}$/,
    "counterparty is a name of at most 80 characters",
  )
    .optional()
    .describe("Who the agreement was made with; none for nobody"),
  from: dayField("from").optional().describe("First day, in UTC; default: today"),
  until: parsedText(
    "until must be a day, for example 2026-12-31, or none",
    orNone((text) => dayField("until").safeParse(text).data),
  )
    .optional()
    .describe("Last day, in UTC; none for no end"),
  total: parsedText(
    `total must have uptime, depth or both, such as uptime=95 depth=5000 band=2, or be none; spread and levels limit the minutes that count as up`,
    orNone(totalText),
  )
    .optional()
    .describe("Rules of all markets of a pair together: uptime=95 depth=5000"),
});

/** Returns a day, counted from 1970. */
export const dayNumber = (day: string): number => (parseTime(day) ?? 0) / DAY;
