const SOON_MS = 10;

let waiting: (() => void)[] = [];

/** Within a moment, and together with all else that waits for it: what runs tell then goes out in one write. */
export function soon(work: () => void): void {
  waiting.push(work);
  if (waiting.length > 1) return;
  setTimeout(() => {
    const due = waiting;
    waiting = [];
    for (const one of due) one();
  }, SOON_MS);
}
