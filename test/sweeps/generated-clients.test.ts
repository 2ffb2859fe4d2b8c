import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Endpoint } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';
import { pythonWith } from '@roadstead/testing/processes';

/** Every address that LangSmith’s newest generated clients know is served, or refused in words. */

const PYTHON = 'langsmith==0.15.1';

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** What a client’s own pages fetch by is a GET unless it says otherwise. */
function operationsIn(source: string, call: RegExp): Operation[] {
  return [...source.matchAll(call)].map(({ groups = {}, index }) => {
    const { verb = '', path = '' } = groups;
    const rest = source.slice(index, index + 1500).split(/\n {4}(?:async )?(?:def )?\w+\(/, 1)[0] ?? '';
    const said = /method[:=] ?['"](\w+)['"]/.exec(rest)?.[1];
    const method = (/list/i.test(verb) ? (said ?? 'get') : verb).toUpperCase();
    return { method, path: path.replaceAll(/\$?\{[^}]*\}/g, 'x') };
  });
}

const distinct = (operations: readonly Operation[]) => [
  ...new Map(operations.map((one) => [`${one.method} ${one.path}`, one])).values(),
];

const endpoints = Object.values<Endpoint>(observability);
const isServed = ({ method, path }: Operation) =>
  endpoints.some(
    (endpoint) =>
      endpoint.method === method &&
      (endpoint.mounts ?? ['']).some((mount) =>
        new RegExp(`^${mount}${endpoint.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path),
      ),
  );
const unserved = (operations: readonly Operation[]) =>
  operations.filter((one) => !isServed(one)).map(({ method, path }) => `${method} ${path}`);

test('when the JavaScript client asks for any address that it knows, then none is unknown here', () => {
  const folder = dirname(createRequire(import.meta.url).resolve('langsmith/package.json'));
  const call =
    /_client\.(?<verb>get|post|put|patch|delete|getAPIList)\((?:path ?)?[`'"](?<path>[^`'"]+)[`'"]/g;
  const operations = distinct(
    globSync(`${folder}/resources/**/*.mjs`).flatMap((file) =>
      operationsIn(readFileSync(file, 'utf8'), call),
    ),
  );
  expect(operations.length).toBeGreaterThan(100);
  expect(unserved(operations)).toEqual([]);
});

test('when the Python client asks for any address that it knows, then none is unknown here', async ({
  skip,
}) => {
  const python = await pythonWith([PYTHON]);
  if (typeof python !== 'object') return skip(python);
  const folder = python.env['PYTHONPATH'] ?? '';
  const call =
    /self\._(?<verb>get|post|put|patch|delete|get_api_list)\(\s*(?:path_template\(\s*)?f?"(?<path>[^"]+)"/g;
  const operations = distinct(
    globSync(`${folder}/langsmith/resources/**/*.py`).flatMap((file) =>
      operationsIn(readFileSync(file, 'utf8'), call),
    ),
  );
  expect(operations.length).toBeGreaterThan(140);
  expect(unserved(operations)).toEqual([]);
});

test.each(['POST /datasets/x/index', 'POST /datasets/x/search'])(
  'when an older client asks for %s, then it is told why there is none',
  (address) => {
    const [method = '', path = ''] = address.split(' ');
    expect(unserved([{ method, path }])).toEqual([]);
  },
);
