// What the platform has of fetch: Node loads it by the first use of one of its names, and that takes as long as half a start.

const NAMES = ["Headers", "Request", "Response"];
const found = NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
const links = [];

/** The platform's own classes, by their names, once they are loaded. */
export const native = { isLoaded: false };

/** Runs when they are: whatever stands for one of them becomes a kind of it there. No one has asked for one before. */
export function whenLoaded(link) {
  if (native.isLoaded) link(native);
  else links.push(link);
}

export function loadFetch() {
  if (native.isLoaded) return native;
  for (const [name, { get, value, enumerable }] of found) {
    native[name] = get ? get.call(globalThis) : value;
    define(name, { value: native[name], writable: true, enumerable });
  }
  native.isLoaded = true;
  for (const link of links) link(native);
  return native;
}

const define = (name, how) => Object.defineProperty(globalThis, name, { configurable: true, ...how });

/** Whoever asks for one by its name loads all, so that nobody meets one that is not linked. */
function defer(name, { enumerable }) {
  const get = () => {
    loadFetch();
    return globalThis[name];
  };
  const set = (value) => {
    loadFetch();
    define(name, { value, writable: true, enumerable });
  };
  define(name, { get, set, enumerable });
}

// On other platforms they are there from the start.
if (found.every(([, known]) => known?.get && known.configurable))
  for (const [name, known] of found) defer(name, known);
else loadFetch();
