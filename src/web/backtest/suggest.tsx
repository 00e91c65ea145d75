import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "../api.ts";
import { inPercent, number, pairOf, percent, toneOf } from "../format.ts";
import { NumberInput } from "../number-input.tsx";
import { linkTo } from "../route.ts";
import { type Form, queryOf } from "../start/form.ts";
import { numberColumn, Table, type TableColumn } from "../table.tsx";
import type { SuggestionAnswer } from "../types.ts";
import { Failed, Field, NoticeBox, Section, Stat, Time } from "../ui.tsx";

type SuggestedGrid = SuggestionAnswer["best"][number];

/** Maximum duration in seconds, because passes wait for the calculation. */
const SECONDS = 10;

interface SuggestProps {
  readonly form: Form;
  readonly timeframe: string;
  /** Free quote of the account; undefined if it is unknown. */
  readonly free: number | undefined;
  /** Tests a suggested grid, on the market that it was found for. */
  readonly take: (grid: SuggestedGrid & Pick<SuggestionAnswer, "exchange" | "symbol">) => void;
}

const COMMON_BUDGET = "1000";

/** Returns the free quote as a budget, in whole units where that is exact enough. */
const freeAsBudget = (free: number | undefined): string =>
  free === undefined || free <= 0
    ? COMMON_BUDGET
    : String(free >= 100 ? Math.floor(free) : Math.floor(free * 100) / 100);

/** Suggests grid settings from a pair's price history. */
export function Suggest({ form, timeframe, free, take }: SuggestProps) {
  const [typed, setBudget] = useState<string>();
  const budget = typed ?? freeAsBudget(free);
  const [state, setState] = useState<{ answer?: SuggestionAnswer; error?: ApiError; isBusy?: boolean }>({});
  const look = (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    const { exchange, symbol } = form;
    const body = { exchange, symbol, timeframe, budget: Number(budget), seconds: SECONDS };
    ask<SuggestionAnswer>("POST /strategy/grid/suggest", { body }).then(
      (answer) => setState({ answer }),
      (error) => setState({ error }),
    );
  };
  return (
    <Section title="Suggest">
      <form class="fields line" onSubmit={look}>
        <Field label={`Budget, ${pairOf(form.symbol).quote}`}>
          <NumberInput value={budget} change={setBudget} />
        </Field>
        <button
          type="submit"
          disabled={
            state.isBusy === true || form.exchange === "" || form.symbol === "" || !(Number(budget) > 0)
          }
        >
          {state.isBusy ? "Testing 2,000 grids…" : "Find settings"}
        </button>
      </form>
      {state.error ? <Failed error={state.error} /> : null}
      {state.answer ? <SuggestionResult found={state.answer} take={take} /> : null}
    </Section>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function SuggestionResult({ found, take }: { found: SuggestionAnswer; take: SuggestProps["take"] }) {
  const { verdict, winner, reasons, best, windows } = found;
  const [first, last] = [windows[0], windows.at(-1)];
  return (
    <>
      <NoticeBox kind={winner ? "note" : "warning"}>
        <b>{sentence(verdict)}</b> {winner ? "Past results do not guarantee future results." : ""}
      </NoticeBox>
      {reasons.length > 0 ? (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{sentence(reason)}</li>
          ))}
        </ul>
      ) : null}
      <Measures found={found} />
      <Table
        label={winner ? "Best grids on past prices" : "Best grids on past prices, none better than chance"}
        columns={suggestionColumns(found, take)}
        rows={best}
        keyOf={gridKey}
        empty="No grid was tried."
      />
      {first && last ? (
        <p class="quiet">
          {number(found.bars)} candles in {windows.length} windows from <Time at={first.from} /> to{" "}
          <Time at={last.until} />; the last one, from <Time at={last.from} />, only tests the result.
        </p>
      ) : null}
    </>
  );
}

const gridKey = ({ lowerPrice, upperPrice, gridLevels, spacingModel }: SuggestedGrid): string =>
  `${lowerPrice} ${upperPrice} ${gridLevels} ${spacingModel}`;

const Measures = ({
  found: { overfitting, best, looked, refused, complete },
}: {
  found: SuggestionAnswer;
}) => (
  <dl class="stats">
    <Stat name="Probability of overfitting (PBO)" tone={overfitting > 0.5 ? "large down" : "large"}>
      {inPercent(overfitting * 100, 1)}
    </Stat>
    <Stat name="Deflated Sharpe ratio, 95 % needed">
      {best[0] ? inPercent(best[0].deflatedSharpe * 100, 1) : "–"}
    </Stat>
    <Stat name="Plateau, 0.5 needed">{best[0] ? number(best[0].plateau, 2) : "–"}</Stat>
    <Stat name="Grids tried">{`${number(looked)} grids${complete ? "" : ", stopped by the time limit"}`}</Stat>
    <Stat name="Skipped: fees or minimums">{number(refused)}</Stat>
  </dl>
);

const shareShown = (value: number) => <span class={toneOf(value)}>{percent(value)}</span>;

const RESULT_COLUMNS: readonly TableColumn<SuggestedGrid>[] = [
  {
    name: "Last window",
    isNumber: true,
    of: (one) => (
      <>
        {shareShown(one.lastReturn)}
        <small>{one.lastCycles} cycles</small>
      </>
    ),
    by: ({ lastReturn }) => lastReturn,
  },
  {
    name: "Earlier windows",
    of: ({ returns }) => returns.map((one) => percent(one, 1)).join(", "),
  },
  numberColumn("Mean", ({ meanReturn }) => meanReturn, shareShown),
  numberColumn("Worst", ({ worstReturn }) => worstReturn, shareShown),
  numberColumn(
    "Deflated",
    ({ deflatedSharpe }) => deflatedSharpe,
    (share) => inPercent(share * 100, 1),
  ),
  numberColumn(
    "Plateau",
    ({ plateau }) => plateau,
    (share) => number(share, 2),
  ),
];

function suggestionColumns(
  { exchange, symbol }: SuggestionAnswer,
  take: SuggestProps["take"],
): readonly TableColumn<SuggestedGrid>[] {
  return [
    {
      name: "Grid",
      isHead: true,
      of: (one) => (
        <>
          {number(one.lowerPrice)} – {number(one.upperPrice)}
          <small>
            {one.gridLevels} levels of {number(one.orderSize)}, {one.spacingModel}
          </small>
        </>
      ),
    },
    ...RESULT_COLUMNS,
    {
      name: "Next",
      of: (one) => (
        <div class="actions">
          <button type="button" onClick={() => take({ exchange, symbol, ...one })}>
            Backtest it
          </button>
          <a class="button" href={`${linkTo("start")}?${queryOf({ exchange, symbol, ...one })}`}>
            Use these settings
          </a>
        </div>
      ),
    },
  ];
}
