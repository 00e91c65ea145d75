import { expect, it } from "vitest";
import { bearer } from "../contract/suite.ts";
import { canaryKek } from "../support/canary.ts";
import { edgeApp } from "../support/edge.ts";

it("the worker rejects a mailbox as a channel and suggests an alternative", async () => {
  const { ask, tokens, close } = await edgeApp({ EDGEMAKER_KEK: canaryKek("B") });
  try {
    const people = { from: "grid@example.org", to: "me@example.org" };
    const answer = await ask("/api/v1/channels", {
      method: "POST",
      headers: { ...bearer(tokens.admin), "content-type": "application/json" },
      body: JSON.stringify({ channel: "mail", kind: "email", server: "smtps://mail.example.org", ...people }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      {
        error: "Invalid request",
        message: expect.stringContaining("email can only be sent from Node"),
      },
    ]);
  } finally {
    await close();
  }
});
