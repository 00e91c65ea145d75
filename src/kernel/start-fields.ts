/** Input fields of every start that has a plan. */
import * as z from "zod";
import { type Decimal, ONE, parseDecimal } from "./decimal.ts";
import { convertedField, decimalField, flagField, textField } from "./fields.ts";

export const flag = (name: string) => flagField("Invalid request", name).optional();
export const price = () => decimalField("Invalid price").optional();

const NAME_FORM = "name must have 1 to 40 characters of letters, digits, - _ . and begin with a letter";

/** A strategy's name. It never has the form of an id, so a text is one or the other. */
export const strategyName = () =>
  textField("Invalid request", /^(?!.*-\d{10,}$)[A-Za-z][\w.-]{0,39}$/, NAME_FORM)
    .optional()
    .describe("Name of the strategy, for lists, alerts and commands");

export const planHash = () =>
  textField("Invalid request", /^[0-9a-f]{32}(-\d{1,20}(\.\d{1,18})?)?$/, "must be the planHash of a preview")
    .optional()
    .describe("Start only the plan of this preview; 409 if it is out of date");

const MOST_LIST_TEXT = 1000;
const MOST_BALANCE: Decimal = 10n ** 15n * ONE;
const DRY_FORM =
  "Invalid request: dryBalance must be ASSET=amount, separated by commas, for example USDT=1000,BTC=0.1";

/** `USDT=1000,BTC=0.1` */
export const dryBalance = () =>
  convertedField(z.string({ error: DRY_FORM }).max(MOST_LIST_TEXT, { error: DRY_FORM }), DRY_FORM, balancesIn)
    .optional()
    .describe("Initial balances of the paper account, for example USDT=1000,BTC=0.1; default 10000 quote");

function balancesIn(text: string): Readonly<Record<string, Decimal>> | undefined {
  const parts = text.split(",").map((part) => /^([A-Z0-9]{1,20})=(\d[\d.]*)$/.exec(part.trim()));
  const balances = parts.map((part) => [part?.[1] ?? "", parseDecimal(part?.[2] ?? "")] as const);
  const areValid = balances.every(([, amount]) => amount !== undefined && amount <= MOST_BALANCE);
  return areValid ? (Object.fromEntries(balances) as Record<string, Decimal>) : undefined;
}
