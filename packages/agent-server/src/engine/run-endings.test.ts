import { expect, test } from 'vitest';
import { endOf, graphFailure } from './run-endings.ts';

const mask = (text: string) => text.replace(':p@', ':*@');

test.each([
  [false, /^The agent failed; the reason is in its log, under run-1\.$/],
  [true, /^The agent failed: no way to postgres:\/\/u:\*@db$/],
])(
  'when a graph throws, then its caller reads what only where that is allowed (%s)',
  (expose_errors, sentence) => {
    const error = { name: 'E', message: 'no way to postgres://u:p@db' };
    const end = endOf(graphFailure(error, { reference: 'run-1', expose_errors, mask }));
    expect(end).toMatchObject({
      status: 'error',
      error: { name: 'E', message: expect.stringMatching(sentence) },
    });
  },
);

test('when a graph comes to no end, then our own words say so', () => {
  const error = { name: 'GraphRecursionError', message: 'no way to postgres://u:p@db' };
  const end = endOf(graphFailure(error, { reference: 'run-1', expose_errors: false, mask }));
  const message = expect.stringMatching(/^(?!.*postgres).*recursion limit/) as string;
  expect(end).toMatchObject({ error: { name: error.name, message } });
});

test.each([true, false])(
  'when a graph rejects a message, then the caller reads why (%s)',
  (expose_errors) => {
    const error = { name: 'Error', message: 'Only invoices.', rejected: true } as const;
    expect(endOf(graphFailure(error, { reference: 'run-1', expose_errors, mask }))).toMatchObject({
      status: 'error',
      error: { message: 'Only invoices.', state: 'rejected' },
    });
  },
);

test('when a graph is told to stop at a node, then the end says which is next', () => {
  const stopped = { outcome: 'success', interrupts: [], next: ['approve'], output: null } as const;
  expect(endOf(stopped)).toMatchObject({ status: 'success', next: ['approve'] });
  expect(endOf({ ...stopped, next: [] })).not.toHaveProperty('next');
});
