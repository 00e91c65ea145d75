import { useState } from "hono/jsx/dom";
import { type ApiError, askFile, type Requested } from "./api.ts";
import { Failed } from "./ui.tsx";

/** Saves a file. This page's content security policy would block the styles of a report, so it is not shown here. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // When the click returns, the browser has begun to read the file but has not finished.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A button that saves the response of a route as a file in a format of the API. */
export function SaveButton({
  label,
  route,
  query = {},
  format,
  file,
}: {
  label: string;
  route: string;
  query?: Requested["query"];
  format: "csv" | "html";
  /** Name without its ending. */
  file: string;
}) {
  const [state, setState] = useState<{ isBusy?: boolean; error?: ApiError }>({});
  const save = async () => {
    setState({ isBusy: true });
    try {
      saveFile(`${file}.${format}`, await askFile(route, { query: { ...query, format } }));
      setState({});
    } catch (error) {
      setState({ error: error as ApiError });
    }
  };
  return (
    <>
      <button type="button" disabled={state.isBusy === true} onClick={() => void save()}>
        {state.isBusy ? "Saving…" : label}
      </button>
      {state.error ? <Failed error={state.error} /> : null}
    </>
  );
}
