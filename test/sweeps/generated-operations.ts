import { globSync, readFileSync } from 'node:fs';
import type { Endpoint } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';

/** What a generated client asks for. */
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

/** What is asked for in any of the files, once each. */
export const operationsOf = (files: string, call: RegExp): Operation[] =>
  distinct(globSync(files).flatMap((file) => operationsIn(readFileSync(file, 'utf8'), call)));

const endpoints = Object.values<Endpoint>(observability);
const isServed = ({ method, path }: Operation) =>
  endpoints.some(
    (endpoint) =>
      endpoint.method === method &&
      (endpoint.mounts ?? ['']).some((mount) =>
        new RegExp(`^${mount}${endpoint.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path),
      ),
  );
/** Those that no endpoint of observability serves. */
export const unserved = (operations: readonly Operation[]) =>
  operations.filter((one) => !isServed(one)).map(({ method, path }) => `${method} ${path}`);
