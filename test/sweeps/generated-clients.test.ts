import { dirname } from 'node:path';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { operationsOf, unserved } from './generated-operations.ts';

/** Every address that LangSmith’s newest generated client knows is served, or refused in words. The proof has that in Python. */

test('when the JavaScript client asks for any address that it knows, then none is unknown here', () => {
  const folder = dirname(createRequire(import.meta.url).resolve('langsmith/package.json'));
  const call =
    /_client\.(?<verb>get|post|put|patch|delete|getAPIList)\((?:path ?)?[`'"](?<path>[^`'"]+)[`'"]/g;
  const operations = operationsOf(`${folder}/resources/**/*.mjs`, call);
  expect(operations.length).toBeGreaterThan(100);
  expect(unserved(operations)).toEqual([]);
});

test.each(['POST /datasets/x/index', 'POST /datasets/x/search'])(
  'when an older client asks for %s, then it is told why there is none',
  (address) => {
    const [method = '', path = ''] = address.split(' ');
    expect(unserved([{ method, path }])).toEqual([]);
  },
);
