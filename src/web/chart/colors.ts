/** Returns a color of the page's style for a canvas, in the current color scheme. */
export function colorOf(name: string, opacity = 1): string {
  const probe = document.createElement("i");
  probe.style.color = `color-mix(in srgb, var(--${name}) ${opacity * 100}%, transparent)`;
  document.body.append(probe);
  const context = document.createElement("canvas").getContext("2d");
  const color = getComputedStyle(probe).color;
  probe.remove();
  if (!context) return color;
  // The computed color can be in a color space that the chart cannot read; one pixel gives plain numbers.
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = context.getImageData(0, 0, 1, 1).data;
  return `rgba(${red}, ${green}, ${blue}, ${(alpha / 255).toFixed(2)})`;
}

/** Calls back when the color scheme changes; returns a function that stops it. */
export function onScheme(changed: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}
