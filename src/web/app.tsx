import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { AccountPage } from "./account.tsx";
import { BacktestPage } from "./backtest.tsx";
import { AccessPage, LimitsPage } from "./controls/access.tsx";
import { Alerts } from "./controls/alerts.tsx";
import { Audit, Plans } from "./controls/audit.tsx";
import { useEffect } from "./effect.ts";
import { Home } from "./home.tsx";
import { Link, LiquidityPage, Safety } from "./liquidity.tsx";
import { startLive, useLoad } from "./live.ts";
import { Compare, DexPage } from "./markets/compare.tsx";
import { Markets } from "./markets/page.tsx";
import { ModeBar, shownMode } from "./mode.tsx";
import { ReportPage } from "./report.tsx";
import { linkTo, useRoute } from "./route.ts";
import { signedOut, signIn, useValue } from "./session.ts";
import { Clone, Start } from "./start/page.tsx";
import { StrategyPage } from "./strategy-page.tsx";
import type { Session } from "./types.ts";
import { NoticeBox, Shown, SignInForm, useTitle } from "./ui.tsx";

export function App() {
  const { token } = useValue(signIn);
  useEffect(() => {
    if (token === undefined) hasOpened = true;
    return undefined;
  }, [token]);
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

type PageView = (props: { session: Session }) => Child;

interface Place {
  readonly path: string;
  /** Heading of the page and title of its tab; absent if the page sets its own. */
  readonly title?: string | undefined;
  /** Entry of the navigation that leads to it, and its name among the pages of that entry. */
  readonly group?: string | undefined;
  readonly name?: string | undefined;
  readonly page: (session: Session, words: readonly string[]) => Child;
  /** Whether only administrators can open it. */
  readonly isAdmins?: boolean;
}

const pagePlace = (path: string, View: PageView, title: string, group = title, name?: string): Place => ({
  path,
  title,
  group,
  name,
  page: (session) => <View session={session} />,
});
const setting = (path: string, page: PageView, title: string): Place => ({
  ...pagePlace(path, page, title, "Settings", title),
  isAdmins: true,
});

const PLACES: readonly Place[] = [
  pagePlace("", Home, "Strategies"),
  {
    path: "strategy",
    page: (session, [, id = ""]) => <StrategyPage key={id} id={id} session={session} />,
  },
  {
    path: "start",
    group: "Start",
    page: (session, [, name = "grid"]) => <Start name={name} session={session} />,
  },
  {
    path: "clone",
    page: (session, [, id = ""]) => <Clone key={id} id={id} session={session} />,
  },
  {
    path: "backtest",
    title: "Backtest",
    group: "Backtest",
    page: (_, [, name = "grid"]) => <BacktestPage name={name} />,
  },
  pagePlace("report", ReportPage, "Report", "Reports", "P&L"),
  pagePlace("liquidity", LiquidityPage, "Liquidity", "Reports", "Liquidity"),
  pagePlace("markets", Markets, "Markets", "Markets", "Market"),
  pagePlace("compare", Compare, "Compare", "Markets", "Compare"),
  pagePlace("dex", DexPage, "DEX", "Markets", "DEX"),
  pagePlace("account", AccountPage, "Account"),
  setting("alerts", Alerts, "Alerts"),
  setting("limits", LimitsPage, "Limits"),
  setting("agents", Plans, "Agents"),
  setting("access", AccessPage, "Access"),
  setting("audit", Audit, "Audit"),
];

const NO_ACCESS = { title: "No access", text: "This token has no access to this page." };
const NO_PAGE = { title: "Not found", text: "There is no page at this address." };

function Shell({ session }: { session: Session }) {
  const { words } = useRoute();
  const places = PLACES.filter(({ isAdmins }) => !isAdmins || session.scope === "admin");
  const isStrategys = words[0] === "strategy";
  const here = isStrategys && !words[1] ? undefined : places.find(({ path }) => path === words[0]);
  const beside = places.filter(({ group, name }) => name && group === here?.group);
  const lacking = !isStrategys && PLACES.some(({ path }) => path === words[0]) ? NO_ACCESS : NO_PAGE;
  useTitle(here ? here.title : lacking.title);
  // A new page begins at its top with the focus on its heading, wherever the previous one was scrolled to.
  useEffect(() => {
    scrollTo(0, 0);
    if (hasOpened) focusContent();
    hasOpened = true;
  }, [words.slice(0, words[0] === "markets" ? 1 : isStrategys ? 2 : undefined).join("/")]);
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
        <Navigation key={words.join("/")} places={places} here={here} />
        <Link />
        <Safety session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        {beside.length > 1 ? (
          <nav class="tabs" aria-label={here?.group}>
            {beside.map((one) => (
              <PlaceLink key={one.path} to={one} name={one.name} isHere={one === here} />
            ))}
          </nav>
        ) : null}
        {here ? here.page(session, words) : <NoticeBox>{lacking.text}</NoticeBox>}
      </main>
      <Foot />
    </>
  );
}

/** One link for each group of pages; on narrow screens they are behind a button. */
function Navigation({ places, here }: { places: readonly Place[]; here: Place | undefined }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      // The button is drawn anew.
      requestAnimationFrame(() => document.querySelector<HTMLElement>(".menu")?.focus());
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [isOpen]);
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
          <PlaceLink
            key={one.path}
            to={one}
            name={one.group}
            isHere={one.group === here?.group}
            // On a narrow screen, the menu would cover the page.
            follow={() => setOpen(false)}
          />
        ))}
      </nav>
    </>
  );
}

interface PlaceLinkProps {
  readonly to: Place;
  readonly name: string | undefined;
  readonly isHere: boolean;
  readonly follow?: () => void;
}

const PlaceLink = ({ to, name, isHere, follow }: PlaceLinkProps) => (
  <a href={linkTo(to.path)} onClick={() => follow?.()} {...(isHere ? { "aria-current": "page" } : {})}>
    {name}
  </a>
);

const skip = () => document.getElementById("main")?.focus();

/** Whether a page has been shown: the first one of a tab takes no focus. */
let hasOpened = false;

/** Focuses the heading; while it loads, what it will be in. */
function focusContent(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? document.getElementById("main"))?.focus();
}

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
