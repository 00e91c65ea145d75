// @hono/node-server without what it loads before anybody needs it: the platform's fetch, and HTTP/2.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STUBS } from "./aliases.mjs";
import { changed } from "./changed.mjs";

const FETCH = JSON.stringify(join(STUBS, "fetch.mjs"));

/**
 * What is written there, and what instead. Its own answers and requests need the platform's classes to be told from them,
 * and for what they cannot do themselves: before those are loaded, there is none to be told.
 */
const CHANGES = [
  [
    'import { Http2ServerRequest, constants } from "node:http2";',
    `import { native, loadFetch, whenLoaded } from ${FETCH};
// No server of ours speaks HTTP/2.
const Http2ServerRequest = class {};
const constants = { NGHTTP2_NO_ERROR: 0 };
const isHeaders = (one) => native.isLoaded ? one instanceof Headers : one instanceof RequestHeaders;
let isOverriding = false;
const override = () => {
	Object.defineProperty(global, "Response", { value: Response$1 });
	if (native.isLoaded) Object.defineProperty(global, "Request", { value: Request$1 });
};`,
  ],
  ["const GlobalHeaders = globalThis.Headers;\n", ""],
  ["HeadersCtor = GlobalHeaders)", "HeadersCtor = loadFetch().Headers)"],
  [
    "Object.setPrototypeOf(RequestHeaders.prototype, GlobalHeaders.prototype);",
    "whenLoaded(({ Headers }) => Object.setPrototypeOf(RequestHeaders.prototype, Headers.prototype));",
  ],
  ["globalThis.Headers === GlobalHeaders ?", "!native.isLoaded || globalThis.Headers === native.Headers ?"],
  ["const GlobalRequest = global.Request;\n", ""],
  [
    "var Request$1 = class extends GlobalRequest {",
    "var Request$1;\nconst makeRequest = (GlobalRequest) => class Request extends GlobalRequest {",
  ],
  ["const req = new Request$1(url, init);", "const req = (loadFetch(), new Request$1(url, init));"],
  ["return new Request$1(url, init);", "return loadFetch(), new Request$1(url, init);"],
  [
    "const req = new Request$1(this[urlKey], init);",
    "const req = (loadFetch(), new Request$1(this[urlKey], init));",
  ],
  [
    "Object.setPrototypeOf(requestPrototype, Request$1.prototype);",
    `whenLoaded((native) => {
	Request$1 = makeRequest(native.Request);
	Object.setPrototypeOf(requestPrototype, Request$1.prototype);
});`,
  ],
  ["const GlobalResponse = global.Response;\n", ""],
  ["new GlobalResponse(this.#body,", "new (loadFetch().Response)(this.#body,"],
  [
    "if (init instanceof GlobalResponse) {",
    "if (init instanceof Response$1 || native.isLoaded && init instanceof native.Response) {",
  ],
  [
    "Object.setPrototypeOf(Response$1, GlobalResponse);\nObject.setPrototypeOf(Response$1.prototype, GlobalResponse.prototype);",
    `Object.defineProperty(Response$1, "error", {
	value: () => loadFetch().Response.error(),
	writable: true,
	configurable: true
});
whenLoaded(({ Response }) => {
	Object.setPrototypeOf(Response$1, Response);
	Object.setPrototypeOf(Response$1.prototype, Response.prototype);
	if (isOverriding) override();
});`,
  ],
  ["if (header instanceof Headers) {", "if (isHeaders(header)) {"],
  [
    `options.overrideGlobalObjects !== false && global.Request !== Request$1) {
		Object.defineProperty(global, "Request", { value: Request$1 });
		Object.defineProperty(global, "Response", { value: Response$1 });
	}`,
    `options.overrideGlobalObjects !== false && !(native.isLoaded ? global.Request === Request$1 : isOverriding)) {
		isOverriding = true;
		override();
	}`,
  ],
];

export const LATE_FETCH = {
  name: "late-fetch",
  setup: ({ onLoad }) =>
    onLoad({ filter: /@hono[\\/]node-server[\\/]dist[\\/]index\.mjs$/ }, ({ path }) => ({
      contents: changed(readFileSync(path, "utf8"), CHANGES, "@hono/node-server"),
    })),
};
