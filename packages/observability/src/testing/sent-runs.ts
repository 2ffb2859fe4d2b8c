import { expect } from 'vitest';
import type { Fixture } from './observability-fixture.ts';

/** Runs at the level of bytes, for tests of ingestion. */

export const START = '2026-01-05T10:20:30.123456Z';
export const stamp = '20260105T102030123456Z';

/** A root as a client sends it, in JSON. */
export const sentRoot = (run_id: string, more: object = {}): string =>
  JSON.stringify({
    id: run_id,
    trace_id: run_id,
    dotted_order: `${stamp}${run_id}`,
    name: 'run',
    run_type: 'chain',
    start_time: START,
    session_name: 'bytes',
    ...more,
  });

/** Sends JSON as it is written, and reads runs back. */
export function bytesClient(fixture: () => Fixture) {
  const get = async (run_id: string) => fixture().send(`/runs/${run_id}`);
  return {
    json: async (path: string, body: string | object, method = 'POST') =>
      fixture().send(path, {
        method,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    read: async (run_id: string) => {
      const response = await get(run_id);
      expect(response.status).toBe(200);
      return (await response.json()) as Record<string, unknown>;
    },
    readText: async (run_id: string) => (await get(run_id)).text(),
    statusOf: async (run_id: string) => (await get(run_id)).status,
  };
}
