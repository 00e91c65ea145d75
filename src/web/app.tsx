import type { Child } from "hono/jsx";
import { AccountPage } from "./account/page.tsx";
import { BacktestPage } from "./backtest/page.tsx";
import { AccessPage } from "./controls/access.tsx";
import { Alerts } from "./controls/alerts.tsx";
import { Audit } from "./controls/audit.tsx";
import { LimitsPage } from "./controls/limits.tsx";
import { Plans } from "./controls/plans.tsx";
import { useEffect } from "./effect.ts";
import { Link } from "./link.tsx";
import { startLive } from "./live.ts";
import { useLoad } from "./load.ts";
import { Compare } from "./markets/compare.tsx";
import { DexPage } from "./markets/dex.tsx";
import { Markets } from "./markets/page.tsx";
import { QuotesPage } from "./quotes/page.tsx";
import { ReportPage } from "./report.tsx";
import { linkTo, useRoute } from "./route.ts";
import { Safety } from "./safety.tsx";
import { signedOut, signIn } from "./session.ts";
import { SignInForm } from "./sign-in.tsx";
import { Start } from "./start/page.tsx";
import { Strategies } from "./strategies.tsx";
import { StrategyPage } from "./strategy/page.tsx";
import type { Session } from "./types.ts";
import { NoticeBox, Shown } from "./ui.tsx";
import { useValue } from "./value.ts";

export function App() {
  const { token } = useValue(signIn);
  return token === undefined ? <SignInForm /> : <SignedIn key={token} />;
}

function SignedIn() {
  const session = useLoad<Session>("GET /session");
  useEffect(startLive, []);
  return <Shown of={session}>{(known) => <Shell session={known} />}</Shown>;
}

interface Place {
  readonly path: string;
  /** Name in the navigation; a page without one is reached from another page. */
  readonly name?: string;
  readonly page: (session: Session, words: readonly string[]) => Child;
  /** Whether only administrators can open it. */
  readonly isAdmins?: boolean;
}

const PLACES: readonly Place[] = [
  { path: "", name: "Strategies", page: (session) => <Strategies session={session} /> },
  {
    path: "strategy",
    page: (session, [, id = ""]) => <StrategyPage key={id} id={id} session={session} />,
  },
  { path: "quotes", page: (session, [, id = ""]) => <QuotesPage key={id} id={id} session={session} /> },
  { path: "start", name: "Start", page: (session) => <Start session={session} /> },
  { path: "backtest", name: "Backtest", page: () => <BacktestPage /> },
  { path: "report", name: "Report", page: () => <ReportPage /> },
  { path: "markets", name: "Markets", page: () => <Markets /> },
  { path: "compare", name: "Compare", page: () => <Compare /> },
  { path: "dex", name: "DEX", page: () => <DexPage /> },
  { path: "account", name: "Account", page: (session) => <AccountPage session={session} /> },
  { path: "alerts", name: "Alerts", isAdmins: true, page: () => <Alerts /> },
  { path: "limits", name: "Limits", isAdmins: true, page: () => <LimitsPage /> },
  { path: "agents", name: "Agents", isAdmins: true, page: () => <Plans /> },
  { path: "access", name: "Access", isAdmins: true, page: () => <AccessPage /> },
  { path: "audit", name: "Audit", isAdmins: true, page: () => <Audit /> },
];

function Shell({ session }: { session: Session }) {
  const { words } = useRoute();
  const place = PLACES.find(({ path }) => path === words[0]);
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
        <a class="brand" href={linkTo()}>
          edgemaker
        </a>
        <nav aria-label="Pages">
          {PLACES.filter(({ name, isAdmins }) => name && (!isAdmins || session.scope === "admin")).map(
            ({ path, name }) => (
              <a key={path} href={linkTo(path)} {...(place?.path === path ? { "aria-current": "page" } : {})}>
                {name}
              </a>
            ),
          )}
        </nav>
        <Link />
        <Safety session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        {place && (!place.isAdmins || session.scope === "admin") ? (
          place.page(session, words)
        ) : (
          <NoticeBox>This token has no access to this page.</NoticeBox>
        )}
      </main>
      <Foot />
    </>
  );
}

const skip = () => document.getElementById("main")?.focus();

const Foot = () => (
  <footer class="foot">
    <button type="button" class="plain" onClick={() => signedOut()}>
      Sign out
    </button>
    <a href="/docs">API</a>
    <span>
      Charts: <a href="https://www.tradingview.com/">Lightweight Charts™ by TradingView</a>, © 2025
      TradingView, Inc., Apache License 2.0
    </span>
  </footer>
);
