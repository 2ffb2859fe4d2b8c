/** Asks a few at a time, in turn, so that a browser's connections suffice for everything else. */
export function fewAtOnce(most: number): <T>(ask: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let under_way = 0;
  return async (ask) => {
    if (under_way < most) under_way += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await ask();
    } finally {
      const next = waiting.shift();
      if (next === undefined) under_way -= 1;
      else next();
    }
  };
}
