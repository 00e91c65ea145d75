import { useState } from "hono/jsx/dom";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { digitsOf, number } from "../format.ts";
import { useLoad } from "../live.ts";
import {
  ById,
  MainFigures,
  mainFiguresOf,
  NameLine,
  PassStats,
  StrategyActions,
  StrategyHeader,
} from "../strategy/parts.tsx";
import { OrderTable } from "../strategy/plan.tsx";
import { QualityPart } from "../strategy/quality.tsx";
import { EventsPart, FillsPart } from "../strategy/slots.tsx";
import type { Definitions, OwnStatus, Session } from "../types.ts";
import { FoldedSection, Section, Stat } from "../ui.tsx";
import { EditOwn } from "./edit.tsx";
import { configFields } from "./start.tsx";

/** The page of one running strategy of the user's own. */
export const OwnPage = ({ id, session }: { id: string; session: Session }) => (
  <ById<OwnStatus> id={id}>{(one) => <KnownStrategy one={one} session={session} />}</ById>
);

function KnownStrategy({ one, session }: { one: OwnStatus; session: Session }) {
  const { id, definition, symbol, orders, waiting } = one;
  const [isEdited, setEdited] = useState(false);
  const of = { kind: "declared", id } as const;
  const digits = digitsOf(orders.map(({ price }) => price));
  return (
    <>
      <StrategyHeader of={one} title={`${definition} ${symbol}`} tab={`${definition} on ${symbol}`}>
        <StrategyActions
          of={one}
          session={session}
          editing={{ isEdited, turn: () => setEdited(!isEdited) }}
          whom="this strategy"
          pause={`Its ${countWithVerb(orders.length, "order")} canceled until you resume. The base stays.`}
          resume="The next pass calls its function, and places its orders again."
          hasFailed={one.lastError !== null}
        />
      </StrategyHeader>
      {isEdited && one.status !== "stopped" ? <EditOwn one={one} /> : null}
      <StrategyFigures one={one} />
      <Section title="Open orders">
        <OrderTable label="Open orders" orders={orders} symbol={symbol} empty="There are no open orders." />
        {waiting.map((wait) => (
          <p key={wait.id} class="warn">
            {wait.id}: {wait.detail}
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
      <EventsPart of={of} />
      <NameLine of={one} session={session} />
    </>
  );
}

function StrategyFigures({ one }: { one: OwnStatus }) {
  const { averageCost, filledOrders, config } = one;
  const definitions = useLoad<Definitions>("GET /definitions").data?.definitions ?? [];
  const of = definitions.find(({ name }) => name === one.definition);
  const labels = Object.fromEntries((of ? configFields(of) : []).map(({ name, label }) => [name, label]));
  return (
    <>
      <MainFigures {...mainFiguresOf(one)}>
        <Stat name="Average cost">{averageCost === null ? "–" : number(averageCost)}</Stat>
        <Stat name="Filled orders">{filledOrders}</Stat>
        <PassStats of={one} />
        {Object.entries(config).map(([name, value]) => (
          <Stat key={name} name={labels[name] ?? name}>
            {typeof value === "object" ? JSON.stringify(value) : String(value)}
          </Stat>
        ))}
      </MainFigures>
      {Object.keys(one.notes).length === 0 ? null : (
        <dl class="stats" aria-label="Notes">
          {Object.entries(one.notes).map(([name, value]) => (
            <Stat key={name} name={name}>
              {String(value)}
            </Stat>
          ))}
        </dl>
      )}
    </>
  );
}
