import { expect, test } from 'vitest';
import { toResponse } from './dialects.ts';
import { Problem } from '@roadstead/kit';

const hint = 'List them first.';
test.each(['detail', 'ingest', 'problem', 'jsonrpc', 'oauth', 'text'] as const)(
  'when something is missing, then the sentence in the dialect %s holds “not found”',
  async (dialect) => {
    const missing = new Problem('not_found', 'There is no such dataset.', { hint });
    const text = await toResponse(missing, dialect).text();
    expect(text).toContain('There is no such dataset (not found).');
    expect(text).toContain(hint);
  },
);

test('when the sentence says it already, or something else is wrong, then it stays as it is', async () => {
  for (const problem of [
    new Problem('not_found', 'The dataset was not found.'),
    new Problem('conflict', 'There is a dataset of this name.'),
  ])
    expect(await toResponse(problem, 'detail').json()).toEqual({ detail: problem.message });
});
