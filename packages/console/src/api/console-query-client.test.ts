import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { ConsoleQueryClient } from './console-query-client.ts';

/** A query whose first answer is of before the change, and comes after it. */
function lateFirstAnswer({ client, enabled = true }: { client: ConsoleQueryClient; enabled?: boolean }) {
  const first = Promise.withResolvers<string>();
  const answers = [first.promise, Promise.resolve('after')];
  let asked = 0;
  const observer = new QueryObserver<string>(client, {
    queryKey: ['thread'],
    queryFn: () => answers[asked++] ?? 'later still',
    enabled,
  });
  return { observer, answerFirst: () => first.resolve('before'), asked: () => asked };
}

test('when something changes while it is first asked, then the answer is of after the change', async () => {
  const client = new ConsoleQueryClient();
  const { observer, answerFirst } = lateFirstAnswer({ client });
  const leave = observer.subscribe(() => {});
  await client.invalidateQueries({ queryKey: ['thread'] });
  answerFirst();
  await expect.poll(() => observer.getCurrentResult().data).toBe('after');
  leave();
});

test('when a change asks for nothing, then the first answer is left to come', async () => {
  const client = new ConsoleQueryClient();
  const { observer, answerFirst, asked } = lateFirstAnswer({ client });
  const leave = observer.subscribe(() => {});
  await client.invalidateQueries({ queryKey: ['thread'], refetchType: 'none' });
  answerFirst();
  await expect.poll(() => observer.getCurrentResult().data).toBe('before');
  expect(asked()).toBe(1);
  leave();
});

test('when nobody looks, then a change asks for nothing', async () => {
  const client = new ConsoleQueryClient();
  const { asked } = lateFirstAnswer({ client, enabled: false });
  await client.invalidateQueries({ queryKey: ['thread'] });
  expect(asked()).toBe(0);
});
