import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { isOfGrid } from "../../backtest/schema/answer-view.ts";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { describeWait } from "../../model/refusal-text.ts";
import { type ApiError, ask, isUnanswered } from "../api.ts";
import { amount, change, digitsOf, inPercent, money, number, pairOf } from "../format.ts";
import { NumberInput, PlanArea, type Planning, type RequestedPlan, usePlan } from "../plan-area.tsx";
import { goTo } from "../route.ts";
import { KIND_PATHS, type KindName } from "../strategy/kind-paths.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { Backtest, Planned, Session, Started } from "../types.ts";
import {
  ChangeStat,
  Failed,
  Field,
  NoticeBox,
  Section,
  SideText,
  Stat,
  Time,
  useConfirmation,
  valueIn,
  Warnings,
} from "../ui.tsx";
import { Checks, useMarketForm, WhereFields } from "./fields.tsx";

interface Tried {
  /** The grid of the backtest. */
  readonly of?: string;
  readonly answer?: Backtest;
  readonly error?: ApiError;
  readonly isBusy?: boolean;
}

/** Returns the request of a grid's backtest with the settings of its start. */
export const backtestOf = (
  { exchange, symbol, dryRun: _, name: _name, ...config }: Readonly<Record<string, unknown>>,
  geometry: "range" | "centered" = "range",
) => ({ definition: "grid", exchange, symbol, config: { ...config, geometry } });

/** A backtest of this grid on the newest candles. */
export function TryOut({
  geometry = "range",
  body,
  quote,
}: {
  geometry?: "range" | "centered";
  body: Readonly<Record<string, unknown>>;
  quote: string;
}) {
  const [tried, setTried] = useState<Tried>({});
  const of = JSON.stringify(body);
  const run = () => {
    setTried({ ...tried, isBusy: true });
    const request = { ...backtestOf(body, geometry), timeframe: "15m", fills: 0 };
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
      {tried.answer ? <Outcome answer={tried.answer} quote={quote} /> : null}
    </div>
  );
}

function Outcome({ answer, quote }: { answer: Backtest; quote: string }) {
  const total = Number(answer.total);
  const holding = total - Number(answer.holding.base);
  const { band, drawdown, details } = answer;
  const fallen = Number(drawdown.amount);
  return (
    <>
      <Warnings of={answer.warnings} />
      <dl class="stats" aria-label="Backtest">
        <ChangeStat name={`Total, ${quote}`} of={total} isLarge />
        {band ? (
          <Stat name="Range by path and fill rule">
            {`${change(Number(band.total.least))} to ${change(Number(band.total.most))}`}
          </Stat>
        ) : null}
        <ChangeStat name="Realized" of={Number(answer.realized)} />
        <ChangeStat name="vs buy and hold" of={holding} />
        <Stat name="Cycles">{answer.cycles}</Stat>
        <Stat name="Max drawdown" tone={fallen > 0 ? "down" : ""}>
          {`${number(fallen, 2)} (${inPercent(drawdown.percent, 2)})`}
        </Stat>
        {isOfGrid(details) ? <Stat name="In range">{inPercent(details.timeInRangePercent, 1)}</Stat> : null}
      </dl>
      <p class="quiet">
        {pluralize(number(answer.bars), "candle")} from <Time at={answer.fromAt} /> to{" "}
        <Time at={answer.untilAt} />. Past results do not guarantee future results.
      </p>
    </>
  );
}

/** Shows everything that a start would do, as the server planned it. */
export function PlanShown({ planned }: { planned: Planned }) {
  const { base, quote } = pairOf(planned.config.symbol);
  const net = planned.slots.map(({ netPercent }) => netPercent);
  const worst = planned.worstCase.toSorted((a, b) => a.price - b.price);
  return (
    <>
      <Warnings of={planned.warnings} />
      <dl class="stats">
        <Stat name="Maximum use of quote">{`${money(Number(planned.maxQuoteUsed))} ${quote}`}</Stat>
        <Stat name="Buys">{`${money(Number(planned.sums.buys))} ${quote}`}</Stat>
        {Number(planned.sums.initialBuy) > 0 ? (
          <Stat name="Initial buy, part of it">{`${money(Number(planned.sums.initialBuy))} ${quote}`}</Stat>
        ) : null}
        <Stat name="Own base in sells">{`${amount(planned.sums.base)} ${base}`}</Stat>
        <Stat name="Set aside">{`${money(Number(planned.investment.quote))} ${quote}`}</Stat>
        <Stat name="Profit per cycle" tone={Math.min(...net) > 0 ? "up" : "down"}>
          {`${number(Math.min(...net), 3)} to ${inPercent(Math.max(...net), 3)}`}
        </Stat>
        <Stat name="Smallest profitable spacing">{inPercent(planned.breakEvenSpacingPercent, 3)}</Stat>
        {worst.map(({ price, loss }) => (
          <Stat key={price} name={`Loss at ${number(price)}`} tone={loss > 0 ? "down" : ""}>
            {`${money(loss)} ${quote}`}
          </Stat>
        ))}
      </dl>
      <p class="quiet">Break-even: {planned.lastWeek.message}.</p>
      <PlanOrders planned={planned} />
      <p class="quiet">
        Plan <code>{planned.planHash}</code>
      </p>
    </>
  );
}

interface PlanRow {
  readonly key: number;
  readonly order?: Planned["orders"][number] | undefined;
  /** Undefined for the initial buy. */
  readonly slot?: Planned["slots"][number];
  readonly refused?: Planned["refused"][number] | undefined;
}

/** Returns the initial buy, then the slots from the highest price down. */
const planRows = ({ orders, slots, refused }: Planned): PlanRow[] => [
  ...orders.filter(({ crosses }) => crosses).map((order) => ({ key: order.slot, order })),
  ...slots.toReversed().map((slot) => ({
    key: slot.slot,
    slot,
    order: orders.find((order) => order.slot === slot.slot),
    refused: refused.find((one) => one.slot === slot.slot),
  })),
];

function planColumns({ config, orders, slots, options }: Planned): readonly TableColumn<PlanRow>[] {
  const isBought = orders.some(({ crosses }) => crosses);
  const { base, quote } = pairOf(config.symbol);
  const digits = digitsOf(slots.map(({ lowerPrice }) => lowerPrice));
  return [
    {
      name: "Slot",
      isHead: true,
      of: ({ slot }) =>
        slot
          ? `${slot.slot}: ${number(slot.lowerPrice, digits)} – ${number(slot.upperPrice, digits)}`
          : "Initial buy, at once",
    },
    {
      name: "Order",
      of: ({ order, refused, slot }) => {
        if (order) return <SideText side={order.side} />;
        if (!refused || !slot) return "–";
        const lower = number(slot.lowerPrice, digits);
        const source = options.initialBuy ? { isBought } : { other: "choose “Buy missing base at once”" };
        return <span class="warn">waits: {describeWait(refused, lower, source)}</span>;
      },
    },
    {
      name: `Price, ${quote}`,
      isNumber: true,
      of: ({ order }) => (order ? `${order.crosses ? "up to " : ""}${number(order.price, digits)}` : "–"),
    },
    { name: `Amount, ${base}`, isNumber: true, of: ({ order }) => (order ? number(order.amount) : "–") },
    {
      name: `Profit per cycle, ${quote}`,
      isNumber: true,
      of: ({ slot }) => (slot ? `${money(slot.netProfit)} (${inPercent(slot.netPercent, 3)})` : "–"),
    },
  ];
}

function PlanOrders({ planned }: { planned: Planned }) {
  return (
    <details>
      <summary>
        {pluralize(planned.orders.length, "order")} by slot
        {planned.refused.length > 0
          ? `; ${countWithVerb(planned.refused.length, "slot", "has", "have")} no order now`
          : ""}
      </summary>
      <Table
        label="Orders of the plan"
        columns={planColumns(planned)}
        rows={planRows(planned)}
        keyOf={({ key }) => key}
        empty="The plan has no slots."
      />
    </details>
  );
}

interface StartButtonProps<P> {
  readonly route: string;
  readonly plan: RequestedPlan<P>;
  readonly planning: Planning<P>;
  readonly session: Session;
}

interface StartText {
  readonly title: string;
  readonly says: Child;
  readonly yes: string;
  /** The kind of what was started. */
  readonly kind: KindName;
}

/** A start without a known result, and its key: the same start has the same key, so it starts nothing twice. */
let unanswered: { readonly start: string; readonly key: string } | undefined;

async function startOnce(route: string, body: Readonly<Record<string, unknown>>) {
  const start = JSON.stringify([route, body]);
  const { key } = unanswered?.start === start ? unanswered : { key: crypto.randomUUID() };
  unanswered = { start, key };
  try {
    const started = await ask<Pick<Started, "id" | "message">>(route, {
      body,
      headers: { "idempotency-key": key },
    });
    unanswered = undefined;
    return started;
  } catch (error) {
    if (!isUnanswered(error as ApiError)) unanswered = undefined;
    throw error;
  }
}

/** Starts exactly the shown plan, after a confirmation. */
export function StartPlan<P extends { readonly planHash: string }>({
  route,
  plan: { body, planned },
  planning: { isOld, carryOut },
  session,
  title,
  says,
  yes,
  kind,
}: StartButtonProps<P> & StartText) {
  const [question, put] = useConfirmation();
  if (session.scope === "read") return <NoticeBox>You need a token with scope trade to start.</NoticeBox>;
  const act = async () => {
    const started = await carryOut(() => startOnce(route, { ...body, planHash: planned.planHash }));
    goTo(KIND_PATHS[kind], started.id);
    return started.message;
  };
  return (
    <>
      <button type="button" class="primary" disabled={isOld} onClick={() => put({ title, says, yes, act })}>
        Start exactly this plan
      </button>
      {question}
    </>
  );
}

/** Starts the shown plan of a grid. */
export function StartButton(props: StartButtonProps<Planned>) {
  const { planned } = props.plan;
  const { exchange, symbol } = planned.config;
  const { base, quote } = pairOf(symbol);
  const { orders, sums, options } = planned;
  const when =
    options.triggerPrice === undefined ? "now" : `when the market reaches ${number(options.triggerPrice)}`;
  return (
    <StartPlan
      {...props}
      kind="grid"
      title={`Start this grid on ${exchange}?`}
      says={
        <p>
          {countWithVerb(orders.length, "order")} placed {when}: {money(Number(sums.buys))} {quote} in buys
          {Number(sums.initialBuy) > 0 ? (
            <b>
              , of which {money(Number(sums.initialBuy))} {quote} buy base at once
            </b>
          ) : null}
          {Number(sums.base) > 0 ? (
            <b>
              , and {amount(sums.base)} {base} of your own base in sells
            </b>
          ) : null}
          . It can use up to {money(Number(planned.maxQuoteUsed))} {quote}. If the market moves and the plan
          changes, nothing starts.
        </p>
      }
      yes="Start it"
    />
  );
}

const CENTERED_ROUTE = "POST /strategy/grid/centered";

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
  const { dryRun, ...rest } = form;
  const isMarket = form.exchange !== "" && form.symbol !== "";
  const body =
    numbers && isMarket
      ? { ...rest, ...numbers, allowLoss: false, ...(dryRun ? { dryRun } : {}) }
      : undefined;
  const plan = usePlan<Planned>(`${CENTERED_ROUTE}/preview`, body);
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
                <PlanShown planned={shown.planned} />
                <TryOut geometry="centered" body={shown.body} quote={quote} />
                <StartButton route={CENTERED_ROUTE} plan={shown} planning={plan} session={session} />
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
