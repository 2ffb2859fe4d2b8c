import { useFixture } from '@roadstead/testing';
import { pythonWith } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { operationsOf, unserved } from './generated-operations.ts';

/** Every address that LangSmith’s newest generated client for Python knows is served, or refused in words. */

const python = useFixture(() => pythonWith(['langsmith==0.15.1']));

test('when the Python client asks for any address that it knows, then none is unknown here', async ({
  skip,
}) => {
  const client = python();
  if (typeof client === 'string') return skip(client);
  const folder = client.env['PYTHONPATH'] ?? '';
  const call =
    /self\._(?<verb>get|post|put|patch|delete|get_api_list)\(\s*(?:path_template\(\s*)?f?"(?<path>[^"]+)"/g;
  const operations = operationsOf(`${folder}/langsmith/resources/**/*.py`, call);
  expect(operations.length).toBeGreaterThan(140);
  expect(unserved(operations)).toEqual([]);
});
