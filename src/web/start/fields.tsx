import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { isPair } from "../../kernel/pair.ts";
import { useEffect } from "../effect.ts";
import { digitsOf, inPercent, number, pairOf, percent } from "../format.ts";
import { COMMON_PAIR, type Holdings, useHoldings } from "../holdings.ts";
import { useLoad } from "../live.ts";
import { NumberInput, PairField } from "../plan-area.tsx";
import { linkTo } from "../route.ts";
import { RowsField } from "../rows.tsx";
import type {
  CandlesAnswer,
  Definitions,
  Exchanges,
  MarketChoice,
  StrategyTable,
  TickerAnswer,
} from "../types.ts";
import { Choice, Failed, Field, NoticeBox, PressedChoice, Shown, valueIn } from "../ui.tsx";
import {
  type AgainRequest,
  freeAsBudget,
  openedTexts,
  PLACE,
  rowsIn,
  type Setting,
  type StartForm,
  settingLabel,
  startBody,
  startForms,
  type TypedTexts,
  textKey,
  textsOf,
  withBudgets,
} from "./settings.ts";

/** Shows a part for a form of a definition, or that it is not loaded. */
export function WithForm({
  is,
  lost = "",
  children,
}: {
  is: (form: StartForm) => boolean;
  /** What is impossible without it. */
  lost?: string;
  children: (form: StartForm, all: readonly StartForm[]) => Child;
}) {
  const list = useLoad<Definitions>("GET /definitions");
  return (
    <Shown of={list} rows={8}>
      {({ definitions }) => {
        const all = startForms(definitions);
        const form = all.find(is);
        if (form) return children(form, all);
        return (
          <NoticeBox>
            This strategy is not loaded{lost}. <a href={linkTo()}>See all strategies</a>
          </NoticeBox>
        );
      }}
    </Shown>
  );
}

/** Reload interval; the server queries the exchange once for all pages. */
const PRICE_INTERVAL_MS = 10_000;

/**
 * Returns the typed texts of forms that share a market, by default the first exchange and the most valuable asset of its
 * account.
 */
export function useStart(form: StartForm, request: AgainRequest, kind: "start" | "again" | "backtest") {
  // Another form can be shown by the time that the pair is known.
  const [opened] = useState({ form, request });
  const [place, setPlace] = useState<TypedTexts>(() => placeTexts(textsOf(form, request)));
  const [typed, setTyped] = useState<Readonly<Record<string, TypedTexts>>>(() => ({
    [form.key]: openedTexts(form, request, kind === "again"),
  }));
  const { exchange = "", symbol = "" } = place;
  const exchanges = useLoad<Exchanges>("GET /exchanges");
  const holdings = useHoldings(exchange, exchanges.data);
  const [pair = holdings.pairs && COMMON_PAIR] = holdings.pairs ?? [];
  const first = exchanges.data?.exchanges[0]?.id;
  useEffect(() => {
    setPlace((now) => ({ ...(first ? { exchange: first } : {}), ...(pair ? { symbol: pair } : {}), ...now }));
    // Prices of an address without a pair are those of the first pair.
    if (pair && symbol === "") {
      const texts = textsOf(opened.form, { ...opened.request, symbol: pair });
      setTyped((now) => ({ ...now, [opened.form.key]: { ...texts, ...now[opened.form.key] } }));
    }
    return undefined;
  }, [first, pair]);
  const market: MarketChoice | undefined =
    isPair(symbol) && exchange !== "" ? { exchange, symbol } : undefined;
  const ticker = useLoad<TickerAnswer>(market && "GET /ticker", { ...market }, { every: PRICE_INTERVAL_MS });
  const texts: TypedTexts = { ...(typed[form.key] ?? form.first), ...place };
  const { quote } = pairOf(symbol);
  // A budget belongs to its asset.
  const [budgets, setBudgets] = useState<TypedTexts>({});
  const isPaper = texts.dryRun === "true" || holdings.isKeyless;
  const free = isPaper ? undefined : holdings.free(quote);
  const firstBudget = isPaper || Number(free) > Number(DEFAULT_BUDGET) ? DEFAULT_BUDGET : freeAsBudget(free);
  const beside = useLoad<StrategyTable>(market && kind !== "backtest" ? "GET /strategies" : undefined, {
    exchange,
  });
  const isShared = beside.data?.strategies.some(
    (one) =>
      (one.mode === "paper") === isPaper &&
      one.symbol.split("/").some((asset) => symbol.split("/").includes(asset)),
  );
  const whole = isShared ? withBudgets(form) : form;
  const change = (changed: TypedTexts, { key, first: own } = form) => {
    setPlace((now) => ({ ...now, ...placeTexts(changed) }));
    setTyped((now) => ({ ...now, [key]: { ...(now[key] ?? own), ...changed } }));
  };
  return {
    form: whole,
    texts,
    change,
    exchanges,
    holdings,
    market,
    price: ticker.data?.last ?? undefined,
    isPaper,
    budget: budgets[quote] ?? firstBudget,
    setBudget: (text: string) => setBudgets((now) => ({ ...now, [quote]: text })),
    ...startBody(whole, texts),
  };
}

export type StartState = ReturnType<typeof useStart>;

/** The first budget of an account that has more, or of paper trading, whose account is not read. */
const DEFAULT_BUDGET = "1000";

/** The prices of the last week, one an hour. */
export const useLastWeek = (market: MarketChoice | undefined) =>
  useLoad<CandlesAnswer>(market && "GET /ohlcv", { ...market, timeframe: "1h", limit: 168 });

const placeTexts = (texts: TypedTexts): TypedTexts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => PLACE.includes(name)));

/** Fields for an exchange and a pair, with the price of now. */
export const PlaceFields = ({ texts, change, exchanges, holdings, price }: StartState) => (
  <div class="fields">
    {exchanges.error ? <Failed error={exchanges.error} again={exchanges.again} /> : null}
    <Field label="Exchange">
      <Choice
        value={texts.exchange ?? ""}
        choices={exchanges.data?.exchanges.map(({ id }) => id) ?? []}
        choose={(exchange: string) => change({ exchange })}
      />
    </Field>
    <PairField
      value={texts.symbol ?? ""}
      pairs={holdings.pairs}
      change={(symbol) => change({ symbol })}
      // An empty line until the price arrives, so that nothing moves.
      hint={
        price === undefined
          ? "\u00a0"
          : `Price ${number(price, Math.max(2, digitsOf([price]) ?? 0))} ${pairOf(texts.symbol ?? "").quote}`
      }
    />
  </div>
);

interface SettingsProps {
  readonly settings: readonly Setting[];
  readonly texts: TypedTexts;
  readonly change: (texts: TypedTexts) => void;
  readonly symbol: string;
  readonly price?: number | undefined;
  readonly holdings?: Holdings;
}

/** The fields of settings; check boxes are below the others. */
export function FormFields({ settings, ...props }: SettingsProps) {
  const checks = settings.filter(({ kind, name }) => kind === "check" && name !== QUESTION);
  return (
    <>
      <div class="fields">
        {settings
          .filter((one) => !checks.includes(one))
          .map((one) => (
            <SettingField key={one.name} setting={one} {...props} />
          ))}
      </div>
      {checks.length === 0 ? null : (
        <div class="checks">
          {checks.map((one) => (
            <CheckField key={one.name} {...one} {...props} />
          ))}
        </div>
      )}
    </>
  );
}

/** A flag with more weight than a check box. */
const QUESTION = "initialBuy";

interface CheckProps {
  readonly name: string;
  readonly label: string;
  readonly initial?: string;
  readonly hint?: string;
  readonly texts: TypedTexts;
  readonly change: (texts: TypedTexts) => void;
}

export function CheckField({ name, label, hint = "", initial = "", texts, change }: CheckProps) {
  const isOn = (texts[name] || initial) === "true";
  return (
    <label class="check" title={hint}>
      <input type="checkbox" checked={isOn} onClick={() => change({ [name]: String(!isOn) })} /> {label}
    </label>
  );
}

const YES_OR_NO = [
  ["true", "Yes"],
  ["false", "No"],
] as const;

function SettingField({
  setting,
  texts,
  change,
  symbol,
  ...market
}: Omit<SettingsProps, "settings"> & { setting: Setting }) {
  const { kind, choices, initial, isRequired, hint, name } = setting;
  const key = textKey(setting, symbol);
  const text = texts[key] ?? "";
  const set = (next: string) => change({ [key]: next });
  const label = settingLabel(setting, symbol);
  if (name === QUESTION)
    return (
      <div class="field wide">
        <span>{hint}</span>
        <PressedChoice label={label} value={text || "false"} choices={YES_OR_NO} choose={set} />
      </div>
    );
  if (kind === "rows") return <SettingRows {...setting} label={label} text={text} set={set} />;
  if (kind === "defend") return <DefendField label={label} hint={hint} text={text} set={set} />;
  const input =
    kind === "number" ? (
      <NumberInput value={text} placeholder={initial} change={set} />
    ) : kind === "choice" || kind === "check" ? (
      <Choice
        value={text || initial}
        choices={[
          ...(initial === "" ? [["", isRequired ? "Choose…" : "–"] as const] : []),
          ...(kind === "check" ? YES_OR_NO : choices),
        ]}
        choose={(next: string) => set(next === initial ? "" : next)}
      />
    ) : kind === "time" ? (
      <input
        type="datetime-local"
        value={localInput(text)}
        onChange={(event: Event) => set(isoTime(valueIn(event)))}
      />
    ) : (
      <input
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event: Event) => set(valueIn(event))}
      />
    );
  return (
    <Field label={label} hint={amountNote(setting, text, symbol, market) ?? hint}>
      {input}
    </Field>
  );
}

/** Returns how far a price is from the market's, or what share of the free amount a budget is. */
function amountNote(
  { unit, name }: Setting,
  text: string,
  symbol: string,
  { price, holdings }: Pick<SettingsProps, "price" | "holdings">,
): string | undefined {
  const value = Number(text);
  if (!(value > 0)) return undefined;
  if (unit === "price" && name !== "gridSpacing" && price !== undefined)
    return `${percent(value / price - 1)} from the price`;
  if (!name.endsWith("Budget")) return undefined;
  const { base, quote } = pairOf(symbol);
  return freeShare(value, holdings?.free(unit === "base" ? base : quote), unit === "base" ? base : quote);
}

/** Describes an amount as a share of what is free. */
export const freeShare = (value: number, free: number | undefined, asset: string): string | undefined =>
  free === undefined
    ? undefined
    : `${value > 0 && free > 0 ? `${inPercent((100 * value) / free, 1)} of ` : ""}${number(free)} ${asset} free`;

/** Returns a time as the browser's field for dates has it, in the local zone. */
function localInput(iso: string): string {
  if (iso === "") return "";
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
const isoTime = (local: string): string => (local === "" ? "" : new Date(local).toISOString());

const DEFENSES = [
  ["", "Nothing"],
  ["20:60", "Move it away"],
  ["pause:60", "Cancel its orders"],
] as const;

interface TextFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly set: (text: string) => void;
}

/** The answer to a side that loses money: what is done, and how far and for how long. */
function DefendField({ label, hint, text, set }: TextFieldProps) {
  const [ticks = "", passes] = text.split(":");
  const isPause = ticks === "pause";
  return (
    <fieldset class="field wide">
      <legend>{label}</legend>
      <div class="actions">
        <Choice
          label={label}
          value={passes === undefined ? "" : isPause ? "pause:60" : "20:60"}
          choices={DEFENSES}
          choose={set}
        />
        {passes === undefined ? null : (
          <>
            {isPause ? null : (
              <label>
                by <NumberInput value={ticks} change={(next) => set(`${next}:${passes}`)} /> ticks
              </label>
            )}
            <label>
              for <NumberInput value={passes} change={(next) => set(`${ticks}:${next}`)} /> passes
            </label>
          </>
        )}
      </div>
      <small>{hint}</small>
    </fieldset>
  );
}

/** A setting with several values. */
const SettingRows = ({ columns = [], text, set, ...field }: TextFieldProps & Pick<Setting, "columns">) => (
  <RowsField
    label={field.label}
    hint={field.hint}
    columns={columns}
    rows={rowsIn(text)}
    change={(rows) => set(rows.length === 0 ? "" : JSON.stringify(rows))}
  />
);
