import { useState } from "hono/jsx/dom";
import { type ApiError, ask } from "./api.ts";
import { useEffect } from "./effect.ts";
import { signedIn, signIn, takeCode } from "./session.ts";
import { useTitle } from "./title.ts";
import { Failed, Field, NoticeBox, valueIn } from "./ui.tsx";
import { useValue } from "./value.ts";

/** The code of the link that opened the page, until it is used: it works once. */
let code = takeCode();

/** A form for a token, or a link's code, which works once. */
export function SignInForm() {
  const { why } = useValue(signIn);
  useTitle("Sign in");
  const [token, setToken] = useState("");
  const [error, setError] = useState<ApiError | undefined>(undefined);
  useEffect(() => {
    const redeem = () => {
      if (code === undefined) return;
      ask<{ token: string }>("POST /session", { body: { code } }).then(
        ({ token }) => signedIn(token),
        setError,
      );
      code = undefined;
    };
    // A link that is opened in this tab changes its address only.
    const follow = () => {
      code = takeCode();
      redeem();
    };
    redeem();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const enter = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== "") signedIn(token.trim());
  };
  return (
    <main class="sign-in">
      <h1>edgemaker</h1>
      {error ? <Failed error={error} /> : why ? <NoticeBox kind="warning">{why}</NoticeBox> : null}
      <form onSubmit={enter}>
        <Field
          wide
          label="API token"
          hint="Shared by the tabs of this page, until you close the last one. A token with scope read shows everything and changes nothing."
        >
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event: Event) => setToken(valueIn(event))}
          />
        </Field>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      <p>
        <code>edgemaker page</code> prints a link that signs you in to a server on this machine;{" "}
        <code>edgemaker token create</code> creates a token for another server.
      </p>
    </main>
  );
}
