/**
 * The longest that the event loop was held by one turn while `work` ran, in milliseconds of this thread's processor
 * time: other programs of a busy machine don't count.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
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
  return longest;
}
