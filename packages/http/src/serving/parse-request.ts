import type { Endpoint } from '@roadstead/contracts';
import type { z } from 'zod';
import { readJson } from './body.ts';
import { type BodyReservation, issuesOf, TimeSlice, type Issue, Problem } from '@roadstead/kit';

interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Parses a request by an endpoint's schemas.
 * @throws Problem `malformed` naming every field that is wrong
 */
export async function parseRequest(
  endpoint: Endpoint,
  {
    request,
    path,
    held,
  }: { readonly request: Request; readonly path: object; readonly held: BodyReservation },
): Promise<Input> {
  const issues: Issue[] = [];
  const read = (at: string, schema: z.ZodType | undefined, value: unknown): unknown => {
    const result = schema?.safeParse(value);
    if (result === undefined || result.success) return result?.data;
    issues.push(...issuesOf(result.error, [at]));
    return undefined;
  };
  const params = read('path', endpoint.params, path);
  const query = read('query', endpoint.query, endpoint.query && queryOf(request.url));
  const limits = { max_bytes: endpoint.max_body_bytes, max_values: endpoint.max_body_values, held };
  const sent = endpoint.body && (await readJson(request, limits));
  const checking = new TimeSlice();
  const body = read('body', endpoint.body, sent);
  // Checking a large body takes as long as others may wait, so the next step on it gets another turn.
  if (checking.isOver()) await checking.next();
  if (issues.length > 0)
    throw new Problem('malformed', 'The request has fields of the wrong shape.', { issues });
  return { params, query, body };
}

/** Repeated parameters become a list. */
function queryOf(url: string): Record<string, string | string[]> {
  const start = url.indexOf('?');
  if (start < 0) return {};
  const search = new URLSearchParams(url.slice(start));
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
