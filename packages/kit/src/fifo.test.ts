import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from './fifo.ts';

test('when anything is pushed, taken and removed, then a queue gives what an array would', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('push' as const), count: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ kind: fc.constant('remove' as const), count: fc.integer({ min: 0, max: 5000 }) }),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(steps, (drawn) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let last = 0;
      for (const { kind, count } of drawn) {
        const given: (number | undefined)[] = [];
        const wanted: (number | undefined)[] = [];
        if (kind === 'remove') {
          const at = model.indexOf(count);
          given.push(fifo.remove((one) => one === count));
          wanted.push(model[at]);
          if (at >= 0) model.splice(at, 1);
        } else
          for (let step = 0; step < count; step += 1)
            if (kind === 'push') {
              last += 1;
              fifo.push(last);
              model.push(last);
            } else {
              given.push(fifo.take());
              wanted.push(model.shift());
            }
        expect([given, fifo.length, fifo.first]).toEqual([wanted, model.length, model[0]]);
      }
      expect(fifo.takeAll()).toEqual(model);
      expect([fifo.length, fifo.take()]).toEqual([0, undefined]);
    }),
    { numRuns: 30 },
  );
});

test('when a million wait, then all are taken within 20 seconds', { timeout: 20_000 }, () => {
  const fifo = new Fifo<number>();
  for (let at = 0; at < 1_000_000; at += 1) fifo.push(at);
  let sum = 0;
  for (let one = fifo.take(); one !== undefined; one = fifo.take()) sum += one;
  expect(sum).toBe(499_999_500_000);
});
