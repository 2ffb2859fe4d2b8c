import { uuidv7 } from '@roadstead/kit';
import type { Fixture } from './observability-fixture.ts';

/** Ingests the root run of a trace into a project. @returns its id. */
export async function ingestRun(
  fixture: Fixture,
  project: string,
  fields: { readonly id?: string } & Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const id = fields.id ?? uuidv7();
  const run = {
    id,
    trace_id: id,
    dotted_order: `20260105T000000000000Z${id}`,
    name: 'r',
    run_type: 'chain',
    start_time: '2026-01-05T00:00:00Z',
    session_name: project,
    ...fields,
  };
  const sent = await fixture.post('/runs', run);
  if (sent.status !== 202) throw new Error(await sent.text());
  return id;
}
