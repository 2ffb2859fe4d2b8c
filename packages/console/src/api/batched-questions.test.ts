import { expect, test } from 'vitest';
import { BatchedQuestions } from './batched-questions.ts';

test('when many names are asked for at once, then few questions have each of them once', async () => {
  const questions: (readonly string[])[] = [];
  const batched = new BatchedQuestions<string>(2, async (ids) => {
    questions.push(ids);
    return new Map(ids.filter((id) => id !== 'none').map((id) => [id, id.toUpperCase()]));
  });
  expect(await Promise.all(['a', 'b', 'a', 'none'].map((id) => batched.ask(id)))).toEqual([
    'A',
    'B',
    'A',
    undefined,
  ]);
  expect(questions).toEqual([['a', 'b'], ['none']]);
  expect(await batched.ask('a')).toBe('A');
  expect(questions).toHaveLength(3);
});

test('when a question fails, then all that waited for it hear why', async () => {
  const batched = new BatchedQuestions<string>(10, () => Promise.reject(new Error('away')));
  const answers = await Promise.allSettled(['a', 'b'].map((id) => batched.ask(id)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
