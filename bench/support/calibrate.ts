import { percentile } from './measure.ts';

const TIMES = 200;
const text = JSON.stringify(
  Array.from({ length: 200 }, (_, at) => ({ at, name: `value ${at}`, list: [at, at] })),
);

/** How long a fixed piece of work takes here, in ms: on a machine of two speeds, figures of different speeds don't compare. */
export function calibrate(): number {
  const times: number[] = [];
  for (let at = 0; at < TIMES; at += 1) {
    const began = performance.now();
    for (let again = 0; again < 10; again += 1) JSON.stringify(JSON.parse(text));
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}
