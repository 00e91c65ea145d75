import { ask, part } from "../api.ts";
import { amount, change, digitsOf, number, pairOf, toneOf } from "../format.ts";
import { pulse } from "../live.ts";
import { useLoad } from "../load.ts";
import { linkTo } from "../route.ts";
import { EventsPart, FillsPart } from "../strategy/history.tsx";
import { NameLine, strategyTitle } from "../strategy/name.tsx";
import { QualityPart } from "../strategy/quality.tsx";
import { useTitle } from "../title.ts";
import type { OwnStatus, OwnStatuses, Session, StrategyChanged } from "../types.ts";
import {
  Ago,
  FoldedSection,
  NoticeBox,
  type Question,
  Section,
  Shown,
  Stat,
  useAsk,
  Warnings,
} from "../ui.tsx";
import { OwnOrders } from "./start.tsx";
import { ownState } from "./table.tsx";

/** The page of one running strategy of the user's own. */
export function OwnPage({ id, session }: { id: string; session: Session }) {
  const status = useLoad<OwnStatuses>("GET /strategy/declared/status", { id }, { live: true });
  return (
    <Shown of={status} rows={12}>
      {({ strategies: [one] }) =>
        one ? (
          <KnownStrategy one={one} session={session} />
        ) : (
          <NoticeBox>
            There is no strategy with the id {id}. <a href={linkTo()}>See all strategies</a>
          </NoticeBox>
        )
      }
    </Shown>
  );
}

function KnownStrategy({ one, session }: { one: OwnStatus; session: Session }) {
  const { id, strategy, symbol, lastError, notices, orders, refused } = one;
  const { name, tone } = ownState(one);
  const { title, beside } = strategyTitle(one, `${strategy} ${symbol}`);
  useTitle(one.name ?? `${strategy} on ${symbol}`);
  const of = { kind: "declared", id } as const;
  const digits = digitsOf(orders.map(({ price }) => price));
  return (
    <>
      <header class="title">
        <h1>
          {title} <small>{beside}</small> <b class={`tag ${tone}`}>{name}</b>
        </h1>
        <OwnActions one={one} session={session} />
      </header>
      {lastError ? <NoticeBox kind="error">{lastError}</NoticeBox> : null}
      <Warnings of={notices} />
      <StrategyFigures one={one} />
      <Section title="Open orders">
        <OwnOrders label="Open orders" orders={orders} symbol={symbol} />
        {refused.map((refusal) => (
          <p key={refusal.id} class="warn">
            {refusal.id}: {refusal.detail ?? refusal.reason}
          </p>
        ))}
      </Section>
      {one.state == null ? null : (
        <FoldedSection title="State">
          {() => (
            <pre class="code" tabIndex={0}>
              {JSON.stringify(one.state, null, 2)}
            </pre>
          )}
        </FoldedSection>
      )}
      <QualityPart id={one.id} />
      <FillsPart of={of} digits={digits} symbol={symbol} />
      <EventsPart of={of} digits={digits} />
      <NameLine of={one} session={session} />
    </>
  );
}

function StrategyFigures({ one }: { one: OwnStatus }) {
  const { symbol, totalProfit, profit, position, averageCost, filledOrders, config, lastStepAt } = one;
  const { base, quote } = pairOf(symbol);
  return (
    <dl class="stats">
      <Stat name={`Total, ${quote}`} tone={`large ${toneOf(totalProfit)}`}>
        {change(totalProfit)}
      </Stat>
      <Stat name="Realized" tone={toneOf(profit)}>
        {change(profit)}
      </Stat>
      <Stat name="Position">{`${amount(position)} ${base}`}</Stat>
      <Stat name="Average cost">{averageCost === null ? "–" : number(averageCost)}</Stat>
      <Stat name="Filled orders">{filledOrders}</Stat>
      <Stat name="Last pass">{lastStepAt === null ? "none yet" : <Ago at={lastStepAt} />}</Stat>
      {one.stream === null ? null : <Stat name="Stream">{one.stream}</Stat>}
      {Object.entries(config).map(([name, value]) => (
        <Stat key={name} name={name}>
          {typeof value === "object" ? JSON.stringify(value) : String(value)}
        </Stat>
      ))}
    </dl>
  );
}

/** Actions for a strategy; each first shows its effect. */
function OwnActions({ one, session }: { one: OwnStatus; session: Session }) {
  const [question, put] = useAsk();
  const { phase, status, position, lastError } = one;
  if (session.scope === "read") return null;
  const button = (name: string, confirmation: Question) => (
    <button
      type="button"
      class={confirmation.dangerous ? "danger" : ""}
      disabled={phase === "stopping"}
      onClick={() => put(confirmation)}
    >
      {name}
    </button>
  );
  const isPaused = phase === "paused" || status === "error" || lastError !== null;
  return (
    <div class="actions">
      {status === "stopped" ? null : (
        <>
          {isPaused ? button("Resume", ownResume(one)) : button("Pause", ownPause(one))}
          {button("Stop", ownStop(one, false))}
          {Number(position) > 0 ? button("Stop and sell", ownStop(one, true)) : null}
        </>
      )}
      {question}
    </div>
  );
}

async function afterChange(response: Promise<StrategyChanged>): Promise<string> {
  const { message } = await response;
  pulse.set(pulse.get() + 1);
  return message;
}

const ownPause = ({ id, orders }: OwnStatus): Question => ({
  title: "Pause this strategy?",
  says: `Its ${orders.length} orders are canceled until you resume. The base stays.`,
  yes: "Pause it",
  act: () => afterChange(ask(`POST /strategy/declared/${part(id)}/pause`, { body: {} })),
});

const ownResume = ({ id }: OwnStatus): Question => ({
  title: "Resume this strategy?",
  says: "The next pass calls its function, and places its orders again.",
  yes: "Resume it",
  act: () => afterChange(ask(`POST /strategy/declared/${part(id)}/resume`, { body: {} })),
});

const ownStop = ({ id, orders, position, symbol }: OwnStatus, sellBase: boolean): Question => ({
  title: sellBase ? "Stop this strategy and sell its base?" : "Stop this strategy?",
  says: `${orders.length} open orders are canceled. You cannot undo this. ${amount(position)} ${pairOf(symbol).base} ${sellBase ? "are sold at up to 10 % below the mid price, even into a thin order book" : "stay in the account"}.`,
  yes: sellBase ? "Stop and sell" : "Stop it",
  dangerous: true,
  act: () => afterChange(ask("DELETE /strategy/declared", { body: { id, sellBase } })),
});
