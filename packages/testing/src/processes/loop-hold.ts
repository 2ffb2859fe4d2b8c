/** No work may hold an event loop for longer: the bound is 50 ms, and the rest is room for the collector of garbage on a slow machine. */
export const MOST_HELD_MS = 90;

/**
 * The longest that one turn held the event loop while `work` ran, in milliseconds of this thread's processor time at
 * the processor's usual speed: neither other programs of a busy machine nor a slow moment count.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const slowness_before = slowness();
  let longest = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turn = () => {
    const used = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (used.user + used.system) / 1000);
    if (!isOver) setImmediate(turn);
  };
  await new Promise((resolve) => setImmediate(resolve));
  turn();
  longest = 0;
  await work();
  isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest / Math.max(1, slowness_before, slowness());
}

const text = JSON.stringify(
  Array.from({ length: 200 }, (_, at) => ({ at, name: `value ${at}`, list: [at, at] })),
);
/** The processor time of a fixed piece of work. */
const USUAL_MS = 20;

/** How many times longer than usual a fixed piece of work takes now. */
function slowness(): number {
  const before = process.threadCpuUsage();
  for (let at = 0; at < 200; at += 1) JSON.stringify(JSON.parse(text));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / USUAL_MS;
}
