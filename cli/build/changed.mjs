/** The text with pieces of it replaced. Each stands there once: a version that has changed is looked at by a person. */
export function changed(text, changes, name) {
  return changes.reduce((rest, [from, to]) => {
    const [before, after, ...more] = rest.split(from);
    if (after === undefined || more.length > 0) throw new Error(`${name} has not once: ${from}`);
    return `${before}${to}${after}`;
  }, text);
}
