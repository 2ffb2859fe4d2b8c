import { expect, test } from 'vitest';
import type { HostQuestion } from '@roadstead/contracts/host';
import { HostQuestions } from './host-questions.ts';

/** The questions of one host: which are worked on, and which wait. */

const limits = { at_once: 2, waiting: 100 };
const questionOf: Readonly<Record<'store.batch' | 'checkpoint.get', HostQuestion>> = {
  'store.batch': { method: 'store.batch', params: { operations: [] } },
  'checkpoint.get': { method: 'checkpoint.get', params: { thread_id: 't', checkpoint_ns: '' } },
};
const question = (method: keyof typeof questionOf) => ({
  question: questionOf[method],
  blobs: [],
  bytes: 10,
});
const inPlace = <T>(work: () => Promise<T>) => work();
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('when questions wait for the embedder, then others are answered meanwhile', async () => {
  const embedder = Promise.withResolvers<string>();
  const questions = new HostQuestions({
    limits,
    onHeld: () => undefined,
    answer: async ({ method }, { aside = inPlace }) => ({
      result: method === 'store.batch' ? await aside(() => embedder.promise) : method,
    }),
  });
  const slow = Array.from({ length: 20 }, () => questions.ask(question('store.batch')));
  expect(await questions.ask(question('checkpoint.get'))).toEqual({ result: 'checkpoint.get' });
  expect(questions.held_bytes).toBe(200);
  embedder.resolve('vectors');
  expect(await Promise.all(slow)).toEqual(Array.from({ length: 20 }, () => ({ result: 'vectors' })));
  expect(questions.held_bytes).toBe(0);
});

test('when questions come back from the embedder, then no more are worked at than may be', async () => {
  let working = 0;
  let most = 0;
  const questions = new HostQuestions({
    limits,
    onHeld: () => undefined,
    answer: async (_question, { aside = inPlace }) => {
      await aside(turn);
      working += 1;
      most = Math.max(most, working);
      await turn();
      working -= 1;
      return { result: null };
    },
  });
  await Promise.all(Array.from({ length: 30 }, () => questions.ask(question('store.batch'))));
  expect([working, most]).toEqual([0, limits.at_once]);
});

test('when the embedder fails, then only its question does, and its place is not lost or doubled', async () => {
  let working = 0;
  let most = 0;
  const questions = new HostQuestions({
    limits,
    onHeld: () => undefined,
    answer: async ({ method }, { aside = inPlace }) => {
      if (method === 'store.batch') await aside(() => Promise.reject(new Error('The embedder failed.')));
      working += 1;
      most = Math.max(most, working);
      await turn();
      working -= 1;
      return { result: null };
    },
  });
  const failed = Array.from({ length: 5 }, () => questions.ask(question('store.batch')));
  for (const one of failed) await expect(one).rejects.toThrow('The embedder failed.');
  await Promise.all(Array.from({ length: 10 }, () => questions.ask(question('checkpoint.get'))));
  expect(most).toBe(limits.at_once);
});

test('when the host ends while a question is aside, then the question ends with it', async () => {
  const embedder = Promise.withResolvers<string>();
  const questions = new HostQuestions({
    limits,
    onHeld: () => undefined,
    answer: async (_question, { aside = inPlace }) => ({ result: await aside(() => embedder.promise) }),
  });
  const asked = questions.ask(question('store.batch'));
  await turn();
  questions.close(new Error('The host has ended.'));
  embedder.resolve('vectors');
  await expect(asked).rejects.toThrow('The host has ended.');
});
