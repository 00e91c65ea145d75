// Stands for a router of hono's that takes the first of those it is given, and for the one that it would take where that one cannot
// tell a path: there is no such path among ours, and the first one throws at it.
export class SmartRouter {
  constructor({ routers: [router] }) {
    // biome-ignore lint/correctness/noConstructorReturn: the one that it is given is the router.
    return router;
  }
}
export class TrieRouter {}
