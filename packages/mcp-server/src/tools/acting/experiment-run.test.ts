import { ApiError } from '@roadstead/contracts';
import { uuidv7 } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { Evaluators } from '../../evaluators/evaluators.ts';
import type { Agent } from './agent-call.ts';
import type { Example } from './example-pages.ts';
import { runExamples } from './experiment-run.ts';

test('when an experiment fails, then it sends nothing more', async () => {
  const examples = Array.from({ length: 20 }, () => ({ id: uuidv7(), inputs: {} }) as Example);
  let sent = 0;
  const task = { task_id: 't', context_id: 'c', state: 'working', text: '' };
  const agent: Agent = {
    send: async () => {
      sent += 1;
      if (sent === 3) throw new ApiError('The key was removed.', { status: 403 });
      return task;
    },
    read: async () => ({ ...task, state: 'completed' }),
  };
  await using evaluators = new Evaluators({ codes: {} });
  const settings = {
    agent,
    evaluators,
    text_input: undefined,
    concurrency: 4,
    example_ms: 10_000,
    all_ms: 10_000,
  };
  const { signal } = new AbortController();
  await expect(runExamples(examples, settings, { signal, report: () => undefined })).rejects.toThrow(
    'The key was removed.',
  );
  expect(sent).toBe(4);
});
