import { uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { driftOf } from '../testing/drift.ts';
import { killAtRandom, startKillable } from '../testing/killable-observability.ts';

/** kill -9 while runs arrive and are digested: no acknowledged run is lost, and rollups equal a count. */

const SENDERS = 3;
const TRACES = 10;

interface Trace {
  readonly root: string;
  readonly model: string;
  readonly project: string;
}

/** The traces in three parts: the beginnings, later facts, and moves of traces to another project. */
function partsOf(traces: readonly Trace[]): object[] {
  const began = Date.now();
  const at = (ms: number) => new Date(began + ms).toISOString();
  const usage = (tokens: number) => ({
    usage_metadata: { input_tokens: tokens, output_tokens: 2 * tokens, total_cost: tokens / 1000 },
  });
  const place = ({ root }: Trace) => ({ trace_id: root, dotted_order: root });
  return [
    {
      post: traces.flatMap((trace) => [
        {
          id: trace.root,
          name: 'root',
          run_type: 'chain',
          session_name: trace.project,
          start_time: at(0),
          ...place(trace),
        },
        {
          id: trace.model,
          name: 'model',
          run_type: 'llm',
          parent_run_id: trace.root,
          start_time: at(5),
          outputs: usage(3),
          ...place(trace),
          dotted_order: `${trace.root}.${trace.model}`,
        },
      ]),
    },
    {
      patch: traces.flatMap((trace, index) => [
        {
          id: trace.root,
          end_time: at(100 * index),
          ...(index % 3 === 0 ? { error: 'it broke' } : {}),
          ...place(trace),
        },
        {
          id: trace.model,
          parent_run_id: trace.root,
          outputs: usage(index),
          ...place(trace),
          dotted_order: `${trace.root}.${trace.model}`,
        },
      ]),
    },
    {
      patch: traces
        .filter((_, index) => index % 4 === 0)
        .map((trace) => ({ id: trace.root, session_name: 'moved', ...place(trace) })),
    },
  ];
}

it('when processes are killed, then what was acknowledged is there, and adds up', async () => {
  await using service = await startKillable();
  const acknowledged: string[] = [];
  const over = new AbortController();
  const sender = async (index: number) => {
    while (!over.signal.aborted) {
      const traces = Array.from({ length: TRACES }, () => ({
        root: uuidv7(),
        model: uuidv7(),
        project: `project ${index % 2}`,
      }));
      for (const part of partsOf(traces)) {
        const body = JSON.stringify(part);
        await service.sendUntilTaken('/runs/batch', () => ({ method: 'POST', body }));
      }
      acknowledged.push(...traces.flatMap(({ root, model }) => [root, model]));
    }
  };
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, index) => sender(index)));
  await killAtRandom(service, () => acknowledged.length / 20);
  over.abort();
  await senders;
  const { missing } = await service.db.one<{ missing: number }>(
    `select count(*) as missing from unnest($1::uuid[]) as sent(id)
     where not exists (select from traces.runs r where r.run_id = sent.id)`,
    [acknowledged],
  );
  expect(missing).toBe(0);
  await expect.poll(() => service.db.query('select from traces.changes')).toEqual([]);
  expect(await driftOf(service.db)).toEqual([]);
});
