import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { isOfGrid } from "../../backtest/schema/answer-view.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { describeRefusal } from "../../model/refusal-text.ts";
import { type ApiError, ask } from "../api.ts";
import {
  amount,
  change,
  digitsOf,
  feeText,
  inPercent,
  money,
  number,
  pairOf,
  percent,
  toneOf,
} from "../format.ts";
import { NumberInput, PlanArea, usePlan } from "../plan-area.tsx";
import { GridStats, PlanShown, planSlotsText, StartPlan } from "../strategy/plan.tsx";
import { Table, type TableColumn } from "../table.tsx";
import type { Backtest, PlanOfGrid, Session } from "../types.ts";
import { ChangeStat, Failed, Field, Section, SideText, Stat, Time, valueIn, Warnings } from "../ui.tsx";
import { Checks, useMarketForm, WhereFields } from "./fields.tsx";

interface Tried {
  /** The grid of the backtest. */
  readonly of?: string;
  readonly answer?: Backtest;
  readonly error?: ApiError;
  readonly isBusy?: boolean;
}

/** Returns the request of a backtest with the settings of a start. */
export const backtestOf = ({ dryRun: _, name: _name, ...start }: Readonly<Record<string, unknown>>) => start;

/** A backtest of this grid on the newest candles. */
export function TryOut({ body }: { body: Readonly<Record<string, unknown>> }) {
  const [tried, setTried] = useState<Tried>({});
  const of = JSON.stringify(body);
  const run = () => {
    setTried({ ...tried, isBusy: true });
    const request = { ...backtestOf(body), timeframe: "15m", fills: 0 };
    ask<Backtest>("POST /backtest", { body: request }).then(
      (answer) => setTried({ of, answer }),
      (error) => setTried({ of, error }),
    );
  };
  return (
    <div class={tried.of === undefined || tried.of === of ? "" : "old"}>
      <p>
        <button type="button" disabled={tried.isBusy === true} onClick={run}>
          {tried.isBusy ? "Running…" : "Backtest on the latest candles"}
        </button>
      </p>
      {tried.error ? <Failed error={tried.error} /> : null}
      {tried.answer ? <Outcome answer={tried.answer} /> : null}
    </div>
  );
}

const Outcome = ({ answer }: { answer: Backtest }) => (
  <>
    <Warnings of={answer.warnings} />
    <RunFigures answer={answer} />
    <p class="quiet">
      {pluralize(number(answer.bars), "candle")} from <Time at={answer.fromAt} /> to{" "}
      <Time at={answer.untilAt} />. Past results do not guarantee future results.
    </p>
  </>
);

/** The figures of a backtest: its total first. */
export function RunFigures({ answer }: { answer: Backtest }) {
  const { quote } = pairOf(answer.symbol);
  const total = Number(answer.total);
  const against = total - Number(answer.holding.base);
  const { band, drawdown, details } = answer;
  const fallen = Number(drawdown.amount);
  const fees = Object.entries(answer.fees).map(([asset, fee]) => feeText(asset, fee, answer.symbol));
  return (
    <dl class="stats" aria-label="Backtest">
      <ChangeStat name={`Total, ${quote}`} of={total} isLarge />
      <Stat name="Return on investment" tone={toneOf(total)}>
        {percent(answer.totalPercent / 100)}
      </Stat>
      <ChangeStat name="vs buy and hold" of={against} />
      <Stat name="Max drawdown" tone={fallen > 0 ? "down" : ""}>
        {`${money(fallen)} (${inPercent(drawdown.percent, 2)})`}
      </Stat>
      <ChangeStat name="Realized" of={Number(answer.realized)} />
      <Stat name="Cycles">{answer.cycles}</Stat>
      <Stat name="Fees">{fees.join(", ") || "none"}</Stat>
      {isOfGrid(details) ? <Stat name="In range">{inPercent(details.timeInRangePercent, 1)}</Stat> : null}
      {band ? (
        <Stat name="Range by path and fill rule">
          {`${change(Number(band.total.least))} to ${change(Number(band.total.most))}`}
        </Stat>
      ) : null}
    </dl>
  );
}

/** Shows the plan of a grid. */
export const GridPlanShown = ({ planned }: { planned: PlanOfGrid }) => (
  <PlanShown planned={planned} stats={<GridStats planned={planned} />}>
    <p class="quiet">Break-even: {planned.details.lastWeek.message}.</p>
    <details>
      <summary>{planSlotsText(planned)}</summary>
      <Table
        label="Orders of the plan"
        columns={planColumns(planned)}
        rows={planRows(planned)}
        keyOf={({ key }) => key}
        empty="The plan has no slots."
      />
    </details>
  </PlanShown>
);

interface PlanRow {
  readonly key: string;
  readonly order?: PlanOfGrid["orders"][number] | undefined;
  /** Undefined for the initial buy. */
  readonly slot?: PlanOfGrid["details"]["slots"][number];
  readonly refused?: PlanOfGrid["refused"][number] | undefined;
}

/** Returns the initial buy, then the slots from the highest price down. */
const planRows = ({ orders, details: { slots }, refused }: PlanOfGrid): PlanRow[] => [
  ...orders.filter(({ crosses }) => crosses).map((order) => ({ key: order.id, order })),
  ...slots.toReversed().map((slot) => ({
    key: String(slot.slot),
    slot,
    order: orders.find(({ id }) => id === String(slot.slot)),
    refused: refused.find(({ id }) => id === String(slot.slot)),
  })),
];

function planColumns({ symbol, details: { slots } }: PlanOfGrid): readonly TableColumn<PlanRow>[] {
  const { base, quote } = pairOf(symbol);
  const digits = digitsOf(slots.map(({ lowerPrice }) => Number(lowerPrice)));
  const price = (text: string) => number(Number(text), digits);
  return [
    {
      name: "Slot",
      isHead: true,
      of: ({ slot }) =>
        slot ? `${slot.slot}: ${price(slot.lowerPrice)} – ${price(slot.upperPrice)}` : "Initial buy, at once",
    },
    {
      name: "Order",
      of: ({ order, refused }) => {
        if (order) return <SideText side={order.side} />;
        return refused ? <span class="warn">waits: {describeRefusal(refused)}</span> : "–";
      },
    },
    {
      name: `Price, ${quote}`,
      isNumber: true,
      of: ({ order }) => (order ? `${order.crosses ? "up to " : ""}${price(order.price)}` : "–"),
    },
    { name: `Amount, ${base}`, isNumber: true, of: ({ order }) => (order ? amount(order.amount) : "–") },
    {
      name: `Profit per cycle, ${quote}`,
      isNumber: true,
      of: ({ slot }) => (slot ? `${money(Number(slot.netProfit))} (${inPercent(slot.netPercent, 3)})` : "–"),
    },
  ];
}

const settingsIn = (quote: string): readonly Setting[] => [
  { name: "levels", label: "Levels on each side, 1 to 10", isRequired: true },
  {
    name: "spacing",
    label: "Spacing, %",
    hint: "Of the center price",
    isPercent: true,
    isRequired: true,
  },
  { name: "size", of: quote, label: `Per order, ${quote}`, isRequired: true },
  {
    name: "deviation",
    label: "Move after, %",
    hint: "Centers itself again when the price is so far beyond the outermost level",
    isPercent: true,
    isRequired: true,
  },
  {
    name: "maxPosition",
    label: "Base at most, % of the capital",
    hint: `The capital is all ${quote} of the account; the plan's first line is what the grid can use`,
    isPercent: true,
    isRequired: true,
  },
];

const FIRST_CENTERED = { levels: "5", spacing: "2", "size USDT": "50", deviation: "1.5", maxPosition: "80" };

/** The page for a grid that stays centered on the market price. */
export function StartCentered({ session }: { session: Session }) {
  const market = useMarketForm({ exchange: "", symbol: "", useOwnBase: false, dryRun: false });
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(FIRST_CENTERED);
  const { form, change, quote } = market;
  const settings = settingsIn(quote);
  const numbers = settingsBody(settings, texts);
  const { exchange, symbol, dryRun, useOwnBase } = form;
  const isMarket = exchange !== "" && symbol !== "";
  const body =
    numbers && isMarket
      ? {
          definition: "grid",
          exchange,
          symbol,
          config: { geometry: "centered", ...numbers, useOwnBase, allowLoss: false },
          ...(dryRun ? { dryRun } : {}),
        }
      : undefined;
  const plan = usePlan<PlanOfGrid>("POST /strategies/preview", body);
  return (
    <>
      <h1>Start a centered grid</h1>
      <div class="columns">
        <Section title="The grid">
          <WhereFields {...market} />
          <NumberSettings settings={settings} texts={texts} change={setTexts} />
          <Checks form={form} change={change} names={["useOwnBase", "dryRun"]} />
        </Section>
        <Section title="Preview">
          <PlanArea planning={plan} empty="Enter the settings. The plan appears here.">
            {(shown) => (
              <>
                <GridPlanShown planned={shown.planned} />
                <TryOut body={shown.body} />
                <StartPlan plan={shown} planning={plan} session={session} title="this grid" />
              </>
            )}
          </PlanArea>
        </Section>
      </div>
    </>
  );
}

/** A number or text of a form; a percentage is sent as a share. */
export interface Setting {
  readonly name: string;
  /** The asset or pair of its amount: for another one, the text is another, so 500 USDT never become 500 BTC. */
  readonly of?: string;
  readonly label: string;
  readonly hint?: Child;
  readonly isPercent?: boolean;
  readonly isText?: boolean;
  readonly isRequired?: boolean;
}

/** The typed texts, by `textKey`. */
type SettingTexts = Readonly<Record<string, string>>;

const textKey = ({ name, of }: Pick<Setting, "name" | "of">): string =>
  of === undefined ? name : `${name} ${of}`;

export const NumberSettings = ({
  settings,
  texts,
  change,
}: {
  settings: readonly Setting[];
  texts: SettingTexts;
  change: (texts: SettingTexts) => void;
}) => (
  <div class="fields">
    {settings.map((setting) => {
      const key = textKey(setting);
      const typed = (text: string) => change({ ...texts, [key]: text });
      return (
        <Field key={setting.name} label={setting.label} hint={setting.hint}>
          {setting.isText ? (
            <input
              autocomplete="off"
              value={texts[key] ?? ""}
              onInput={(event: Event) => typed(valueIn(event))}
            />
          ) : (
            <NumberInput value={texts[key] ?? ""} change={typed} />
          )}
        </Field>
      );
    })}
  </div>
);

/** Decimals of a share, so that 1.8 % is 0.018 and not a float's neighbor. */
const SHARE_DIGITS = 10;

/** Returns the filled-in settings; undefined while a required one is missing. */
export function settingsBody(
  settings: readonly Setting[],
  texts: SettingTexts,
): Readonly<Record<string, number | string>> | undefined {
  const textOf = (one: Setting) => (texts[textKey(one)] ?? "").trim();
  if (settings.some((one) => one.isRequired && textOf(one) === "")) return undefined;
  return Object.fromEntries(
    settings.filter((one) => textOf(one) !== "").map((one) => [one.name, settingValue(one, textOf(one))]),
  );
}

function settingValue({ isText, isPercent }: Setting, text: string): number | string {
  if (isText) return text;
  return isPercent ? Number((Number(text) / 100).toFixed(SHARE_DIGITS)) : Number(text);
}
