/** The status page of sampled pairs for everyone: uptime and obligations, without orders, balances or keys. */
import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { plainTexts, pluralize } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import {
  countText,
  findingRow,
  RULE_HEADS,
  shownPercent,
  signedPart,
  UPTIME_STYLE,
  uptimeChart,
} from "./page-tables.tsx";
import type { LiquidityAnswer } from "./schema.ts";

/** A pair's report over the period and over today, and its last signed day. */
export interface PairStatus {
  readonly whole: LiquidityAnswer;
  readonly today: LiquidityAnswer;
  readonly signedDay: string | null;
}

export interface StatusContent {
  readonly maker: string | null;
  readonly madeAt: number;
  readonly pairs: readonly PairStatus[];
  /** Public key of the signed days; null without one. */
  readonly publicKey: string | null;
  /** Whether to show rules with amounts in quote. */
  readonly hasAmounts: boolean;
}

/** Marks a page as one that a later build can replace. */
export const STATUS_MARK = '<p class="edgemaker-status">';

/** Renders the page as one file without scripts, in the light or dark theme of the reader. */
export function statusPage(status: unknown): string {
  const { maker, madeAt, pairs, publicKey, hasAmounts } = plainTexts(status) as StatusContent;
  const body = (
    <>
      <p class="edgemaker-status">{`As of ${minuteText(madeAt)} UTC. Days are in UTC. Minutes without a sample are unknown: they count neither as up nor as down.`}</p>
      {pairs.length === 0 && <p>No pair is sampled.</p>}
      {pairs.map((pair) => pairPart(pair, hasAmounts))}
      <h2>Verify</h2>
      {publicKey === null ? (
        <p>The samples are not signed.</p>
      ) : (
        <p class="key">
          {"Finished days are signed with the Ed25519 key "}
          <code>{publicKey}</code>. Ask for the signed file, and verify it with edgemaker or Python.
        </p>
      )}
    </>
  );
  return htmlPage({
    title: maker === null ? "Liquidity status" : `${maker}: liquidity status`,
    style: STATUS_STYLE,
    body,
  });
}

function pairPart({ whole, today, signedDay }: PairStatus, hasAmounts: boolean) {
  const { exchange, symbol, days, preset } = whole;
  const isRule = days.some(({ upPercent }) => upPercent !== null);
  const dataDays = days.filter(({ known }) => known > 0).length;
  return (
    <section>
      <h2>{`${symbol} on ${exchange}`}</h2>
      <dl>
        <Fact
          name={`${isRule ? "Agreement met" : "Own orders on both sides"}, ${pluralize(days.length, "day")}`}
        >
          <b>{percentOrNoData(meanUp(whole))}</b>
        </Fact>
        <Fact name="Own spread, mean">{percentOrNoData(whole.own.spreadPercent)}</Fact>
        <Fact name="Days with data">{`${countText(dataDays)} of ${countText(days.length)}`}</Fact>
        <Fact name="Last signed day">{signedDay ?? "none"}</Fact>
      </dl>
      {uptimeChart(days)}
      {signedPart(days)}
      <h3>Today so far</h3>
      {today.known === 0 ? (
        <p>No data.</p>
      ) : preset === null ? (
        <p>No agreement.</p>
      ) : (
        rulesToday(today, hasAmounts)
      )}
    </section>
  );
}

function rulesToday({ findings, symbol }: LiquidityAnswer, hasAmounts: boolean) {
  const asset = symbol.split("/")[1] ?? "";
  const shown = findings.filter(({ unit }) => hasAmounts || unit === "percent");
  return (
    <DataTable heads={RULE_HEADS} rows={shown.map((finding) => findingRow(finding, asset))} kind="rules" />
  );
}

/** Returns the share of the known time that meets the agreement; without one, the time with both sides. */
function meanUp({ days, own }: LiquidityAnswer): number | null {
  const judged = days.filter(({ upPercent }) => upPercent !== null);
  const known = judged.reduce((all, day) => all + day.known, 0);
  if (known === 0) return own.twoSidedPercent;
  return judged.reduce((all, day) => all + (day.upPercent ?? 0) * day.known, 0) / known;
}

const percentOrNoData = (value: number | null): string => (value === null ? "no data" : shownPercent(value));

const STATUS_STYLE = `${UPTIME_STYLE}
section{margin:24px 0;padding-top:8px;border-top:1px solid var(--line);break-inside:avoid}h2{font-size:1.15rem;margin:8px 0}h3{font-size:1rem;margin:16px 0 4px}
dl{grid-template-columns:repeat(auto-fill,minmax(170px,1fr));margin:8px 0 12px}dd b{font-size:1.3rem}
.key,.key code{overflow-wrap:anywhere}.rules td,.rules th{white-space:normal}
td:nth-child(2),th:nth-child(2){text-align:left}
@media(max-width:600px){.rules{font-size:.85rem}.rules td,.rules th{padding:6px 4px}}
`;
