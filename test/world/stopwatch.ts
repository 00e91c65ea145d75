/** Seconds since then, or those of processor time that all threads of this process have used. */
export function stopwatch(of: "clock" | "processor"): () => number {
  const [began, used] = [performance.now(), process.cpuUsage()];
  return () => {
    if (of === "clock") return (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(used);
    return (user + system) / 1e6;
  };
}
