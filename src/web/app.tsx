import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { AccountPage } from "./account.tsx";
import { BacktestPage } from "./backtest.tsx";
import { AccessPage, LimitsPage } from "./controls/access.tsx";
import { Alerts } from "./controls/alerts.tsx";
import { Audit, Plans } from "./controls/audit.tsx";
import { useEffect } from "./effect.ts";
import { Link, LiquidityPage, Safety } from "./liquidity.tsx";
import { startLive, useLoad } from "./live.ts";
import { Compare, DexPage } from "./markets/compare.tsx";
import { Markets } from "./markets/page.tsx";
import { ModeBar, shownMode } from "./mode.tsx";
import { OwnPage } from "./own/page.tsx";
import { Clone, StartOwn } from "./own/start.tsx";
import { QuotesPage } from "./quotes.tsx";
import { ReportPage } from "./report.tsx";
import { linkTo, useRoute } from "./route.ts";
import { signedOut, signIn, useValue } from "./session.ts";
import { StartCentered } from "./start/backtest.tsx";
import { Start } from "./start/page.tsx";
import { StartQuotes } from "./start-quotes.tsx";
import { Strategies } from "./strategies.tsx";
import { KIND_PATHS, type KindName } from "./strategy/kind-paths.ts";
import { StrategyPage } from "./strategy/page.tsx";
import type { Session } from "./types.ts";
import { NoticeBox, Shown, SignInForm, useTitle } from "./ui.tsx";

export function App() {
  const { token } = useValue(signIn);
  return token === undefined ? <SignInForm /> : <SignedIn key={token} />;
}

function SignedIn() {
  const session = useLoad<Session>("GET /session");
  useEffect(startLive, []);
  const mode = session.data?.mode ?? "real";
  useEffect(() => {
    shownMode.set(mode);
    return undefined;
  }, [mode]);
  return <Shown of={session}>{(known) => <Shell session={known} />}</Shown>;
}

interface Place {
  readonly path: string;
  /** Heading of the page and title of its tab; absent if the page sets its own. */
  readonly title?: string;
  /** Entry of the navigation that leads to it, and its name among the pages of that entry. */
  readonly group?: string;
  readonly name?: string;
  readonly page: (session: Session, words: readonly string[]) => Child;
  /** Whether only administrators can open it. */
  readonly isAdmins?: boolean;
}

const ADMIN_SETTINGS = { group: "Settings", isAdmins: true } as const;

/** The page of one strategy of each kind. */
const KIND_PAGES: Readonly<Record<KindName, typeof StrategyPage>> = {
  grid: StrategyPage,
  quote: QuotesPage,
  declared: OwnPage,
};

const PLACES: readonly Place[] = [
  {
    path: "",
    title: "Strategies",
    group: "Strategies",
    page: (session) => <Strategies session={session} />,
  },
  ...(Object.keys(KIND_PAGES) as KindName[]).map((kind): Place => {
    const Page = KIND_PAGES[kind];
    const page: Place["page"] = (session, [, id = ""]) => <Page key={id} id={id} session={session} />;
    return { path: KIND_PATHS[kind], page };
  }),
  {
    path: "start-own",
    page: (session, [, name = ""]) => <StartOwn key={name} name={name} session={session} />,
  },
  {
    path: "clone",
    page: (session, [, id = ""]) => <Clone key={id} id={id} session={session} />,
  },
  {
    path: "start",
    title: "Start a grid",
    group: "Start",
    name: "Grid",
    page: (session) => <Start session={session} />,
  },
  {
    path: "start-centered",
    title: "Start a centered grid",
    group: "Start",
    name: "Centered grid",
    page: (session) => <StartCentered session={session} />,
  },
  {
    path: "start-quotes",
    title: "Start quotes",
    group: "Start",
    name: "Quotes",
    page: (session) => <StartQuotes session={session} />,
  },
  { path: "backtest", title: "Backtest", group: "Backtest", page: () => <BacktestPage /> },
  { path: "report", title: "Report", group: "Reports", name: "P&L", page: () => <ReportPage /> },
  {
    path: "liquidity",
    title: "Liquidity",
    group: "Reports",
    name: "Liquidity",
    page: (session) => <LiquidityPage session={session} />,
  },
  { path: "markets", title: "Markets", group: "Markets", name: "Market", page: () => <Markets /> },
  { path: "compare", title: "Compare", group: "Markets", name: "Compare", page: () => <Compare /> },
  { path: "dex", title: "DEX", group: "Markets", name: "DEX", page: () => <DexPage /> },
  {
    path: "account",
    title: "Account",
    group: "Account",
    page: (session) => <AccountPage session={session} />,
  },
  { path: "alerts", title: "Alerts", name: "Alerts", ...ADMIN_SETTINGS, page: () => <Alerts /> },
  { path: "limits", title: "Limits", name: "Limits", ...ADMIN_SETTINGS, page: () => <LimitsPage /> },
  { path: "agents", title: "Agents", name: "Agents", ...ADMIN_SETTINGS, page: () => <Plans /> },
  { path: "access", title: "Access", name: "Access", ...ADMIN_SETTINGS, page: () => <AccessPage /> },
  { path: "audit", title: "Audit", name: "Audit", ...ADMIN_SETTINGS, page: () => <Audit /> },
];

const NO_ACCESS = { title: "No access", text: "This token has no access to this page." };
const NO_PAGE = { title: "Not found", text: "There is no page at this address." };

function Shell({ session }: { session: Session }) {
  const { words } = useRoute();
  const places = PLACES.filter(({ isAdmins }) => !isAdmins || session.scope === "admin");
  const isStrategys = Object.values<string>(KIND_PATHS).includes(words[0] ?? "");
  const place = isStrategys && !words[1] ? undefined : places.find(({ path }) => path === words[0]);
  const beside = places.filter(({ group, name }) => name && group === place?.group);
  const lacking = !isStrategys && PLACES.some(({ path }) => path === words[0]) ? NO_ACCESS : NO_PAGE;
  useTitle(place ? place.title : lacking.title);
  // A new page begins at its top, wherever the previous one was scrolled to.
  useEffect(() => {
    scrollTo(0, 0);
  }, [words.join("/")]);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class="top">
        <ModeBar />
        <a class="brand" href={linkTo()}>
          edgemaker
        </a>
        <Navigation key={words.join("/")} places={places} place={place} />
        <Link />
        <Safety session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        {beside.length > 1 ? (
          <nav class="tabs" aria-label={place?.group}>
            {beside.map((one) => (
              <PlaceLink key={one.path} to={one} name={one.name} isHere={one === place} />
            ))}
          </nav>
        ) : null}
        {place ? place.page(session, words) : <NoticeBox>{lacking.text}</NoticeBox>}
      </main>
      <Foot />
    </>
  );
}

/** One link for each group of pages; on narrow screens they are behind a button. */
function Navigation({ places, place }: { places: readonly Place[]; place: Place | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const firsts = places.filter(
    ({ group }, at) => group && places.findIndex((one) => one.group === group) === at,
  );
  return (
    <>
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen ? "true" : "false"}
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav aria-label="Pages" class={isOpen ? "open" : ""}>
        {firsts.map((one) => (
          <PlaceLink key={one.path} to={one} name={one.group} isHere={one.group === place?.group} />
        ))}
      </nav>
    </>
  );
}

const PlaceLink = ({ to, name, isHere }: { to: Place; name: string | undefined; isHere: boolean }) => (
  <a href={linkTo(to.path)} {...(isHere ? { "aria-current": "page" } : {})}>
    {name}
  </a>
);

const skip = () => document.getElementById("main")?.focus();

const Foot = () => (
  <footer class="foot">
    <button type="button" class="plain" onClick={() => signedOut()}>
      Sign out
    </button>
    <a href="docs">API</a>
    <span>
      Charts: <a href="https://www.tradingview.com/">Lightweight Charts™ by TradingView</a>, © 2025
      TradingView, Inc., Apache License 2.0
    </span>
  </footer>
);
