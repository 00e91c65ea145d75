import type { ActorAndRequest } from "../../src/model/events.ts";

/** Whoever a test is. */
export const BY: ActorAndRequest = { actor: "test", request: null };
