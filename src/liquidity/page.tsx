import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { plainTexts } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import type { LiquidityAnswer } from "./schema.ts";

/** Renders the report as a single self-contained page, with own orders and the market's apart. */
export function liquidityPage(answer: unknown): string {
  const report = plainTexts(answer) as LiquidityAnswer;
  const { exchange, symbol, from, to, own, market, cutShort, days, hash } = report;
  const body = (
    <>
      <p>{`${from} to ${to}, UTC days`}</p>
      <dl>
        {card("Own orders", own)}
        {card("The market, including own orders", market)}
        {observedCard(report)}
      </dl>
      {findingsPart(report)}
      <h2>Mean depth</h2>
      <DataTable heads={DEPTH_HEADS} rows={[...depthRows("own", own), ...depthRows("market", market)]} />
      {cutShort > 0 && (
        <p>{`Visible book only: in ${cutShort} minutes the exchange's book ended inside 2 %, so the depth is at least this.`}</p>
      )}
      <h2>Time with both sides, by day</h2>
      {uptimeChart(days)}
      {gapsPart(report)}
      <h2>Days</h2>
      <DataTable heads={DAY_HEADS} rows={days.map(dayRow)} />
      <p class="hash">
        {`SHA-256 of the ${report.known} minutes behind this report: `}
        <code>{hash}</code>. The same minutes give the same hash.
      </p>
    </>
  );
  return htmlPage({ title: `${symbol} on ${exchange}: liquidity report`, style: LIQUIDITY_STYLE, body });
}

const findingsPart = ({ findings, preset }: LiquidityAnswer) =>
  findings.length > 0 && (
    <>
      <h2>{`Agreement: ${preset ?? ""}`}</h2>
      <DataTable
        heads={["Rule", "State", "Measured", "Required"]}
        rows={findings.map(findingRow)}
        kind="rules"
      />
    </>
  );

const gapsPart = ({ gaps, moreGaps }: LiquidityAnswer) => (
  <>
    <h2>Gaps</h2>
    {gaps.length === 0 ? (
      <p>None.</p>
    ) : (
      <DataTable heads={["From, UTC", "Minutes", "What", "Cause"]} rows={gaps.map(gapRow)} kind="words" />
    )}
    {moreGaps > 0 && <p>{`and ${moreGaps} shorter ones`}</p>}
  </>
);

const LIQUIDITY_STYLE = `
:root{--own:#0b6e4f;--all:#9bb3c7}@media(prefers-color-scheme:dark){:root{--own:#4cc38a;--all:#51677a}}
dl{grid-template-columns:repeat(auto-fill,minmax(240px,1fr))}dd b{font-size:1.3rem}h2{font-size:1.05rem;margin:24px 0 8px}
th{white-space:normal}.words td,.words th,td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}.hash{overflow-wrap:anywhere;margin-top:24px}
svg{display:block;width:100%;height:auto}text{fill:var(--soft);font:12px system-ui,sans-serif}
.own{fill:var(--own)}.all{fill:var(--all)}.none{fill:var(--line)}
@media(max-width:600px){text{font-size:26px}.rules td:first-child,.words td:nth-child(n+3){white-space:normal}}
`;

type OwnFigures = LiquidityAnswer["own"];
type Day = LiquidityAnswer["days"][number];

const NOT_KNOWN = "not known";
const shownPercent = (value: number | null): string =>
  value === null ? NOT_KNOWN : `${Number(value.toFixed(4))} %`;
const quote = (value: number | null): string =>
  value === null ? NOT_KNOWN : String(Number(value.toFixed(Math.abs(value) < 1 ? 6 : 2)));

const card = (name: string, { twoSidedPercent, spreadPercent }: OwnFigures) => (
  <Fact name={name}>
    <b>{shownPercent(twoSidedPercent)}</b> of the time on both sides
    <br />
    {spreadPercent === null ? "no spread" : `${shownPercent(spreadPercent)} apart on average`}
  </Fact>
);

const observedCard = ({ minutes, known, samples, ...rest }: LiquidityAnswer) => (
  <Fact name="Sampled">
    <b>{known}</b>
    {` of ${minutes} minutes, ${samples} samples`}
    <br />
    {describeElsewhere(rest)}
  </Fact>
);

function describeElsewhere({
  sources,
  unknownSources,
  deviationPercent,
}: Pick<LiquidityAnswer, "sources" | "unknownSources" | "deviationPercent">): string {
  const unknown = unknownSources === 0 ? "" : `; unknown in ${unknownSources} minutes`;
  return deviationPercent === null
    ? `no other price to compare with${unknown}`
    : `${shownPercent(deviationPercent)} off ${quote(sources)} other places on average${unknown}`;
}

const DEPTH_HEADS = ["Orders", "Side", "Within 0.5 %", "Within 1 %", "Within 2 %"];

function findingRow({ rule, state, unit, value, limit }: LiquidityAnswer["findings"][number]): string[] {
  const shown = unit === "percent" ? shownPercent : quote;
  return [rule, state, shown(value), limit === null ? "nothing" : shown(limit)];
}

const depthRows = (whose: string, { depth }: OwnFigures): string[][] =>
  (["bids", "asks"] as const).map((side) => [
    whose,
    side,
    ...(["0.5", "1", "2"] as const).map((band) => quote(depth?.[side][band] ?? null)),
  ]);

const gapRow = ({ from, minutes, what, cause }: LiquidityAnswer["gaps"][number]): string[] => [
  minuteText(from),
  String(minutes),
  what === "unseen" ? "no sample" : "own orders were not on both sides",
  CAUSES[cause],
];

const CAUSES: Record<LiquidityAnswer["gaps"][number]["cause"], string> = {
  exchange: "the exchange",
  funds: "insufficient funds",
  pause: "paused manually",
  ours: "edgemaker",
  unknown: NOT_KNOWN,
};

const DAY_HEADS = [
  ...["Day", "Known minutes", "Own, both sides", "Own spread", "Own bids 2 %", "Own asks 2 %"],
  ...["Market, both sides", "Market spread", "Bids 2 %", "Asks 2 %"],
];

const dayRow = (day: Day): string[] => [
  day.day,
  String(day.known),
  shownPercent(day.ownTwoSidedPercent),
  shownPercent(day.ownSpreadPercent),
  quote(day.ownBidsWithin2),
  quote(day.ownAsksWithin2),
  shownPercent(day.twoSidedPercent),
  shownPercent(day.spreadPercent),
  quote(day.bidsWithin2),
  quote(day.asksWithin2),
];

const [CHART_WIDTH, CHART_HEIGHT] = [1080, 160] as const;

/** Charts each day's share of known minutes with both sides: own orders before the market's. */
function uptimeChart(days: readonly Day[]) {
  const width = CHART_WIDTH / Math.max(1, days.length);
  const bar = (index: number, share: number | null, kind: "own" | "all") => {
    const height = share === null ? 3 : Math.max(1, (share / 100) * (CHART_HEIGHT - 40));
    const inset = kind === "own" ? width * 0.2 : 0;
    return (
      <rect
        class={share === null ? "none" : kind}
        x={(index * width + 1 + inset).toFixed(1)}
        y={(CHART_HEIGHT - 30 - height).toFixed(1)}
        width={Math.max(1, width - 2 - 2 * inset).toFixed(1)}
        height={height.toFixed(1)}
      >
        <title>{`${days[index]?.day}: ${kind === "own" ? "own" : "market"} ${shownPercent(share)}`}</title>
      </rect>
    );
  };
  return (
    <svg
      viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
      role="img"
      aria-label="own orders ahead of the market, in percent of the known time"
    >
      {days.map((day, index) => [
        bar(index, day.twoSidedPercent, "all"),
        bar(index, day.ownTwoSidedPercent, "own"),
      ])}
      <text x="0" y={CHART_HEIGHT - 6}>
        {days[0]?.day}
      </text>
      <text x={CHART_WIDTH} y={CHART_HEIGHT - 6} text-anchor="end">
        {days.at(-1)?.day}
      </text>
    </svg>
  );
}
