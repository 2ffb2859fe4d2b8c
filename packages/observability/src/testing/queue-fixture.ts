import { uuidv7 } from '@roadstead/kit';
import { type Fixture, startFixture, WORKSPACE } from './observability-fixture.ts';

/** Annotation queues with runs in them, and their reviewers. */

export type QueueFixture = Awaited<ReturnType<typeof startQueueFixture>>;
export type Reviewer = ReturnType<Fixture['client']>;

export async function startQueueFixture() {
  /** The service's clock; tests move it on. */
  const clock = { now_ms: Date.now() };
  const fixture = await startFixture({ clock: { now: () => clock.now_ms } });
  const ingestRun = async (project = 'queued', thread_id?: string): Promise<string> => {
    const id = uuidv7();
    const run = {
      id,
      trace_id: id,
      dotted_order: `20260105T000000000000Z${id}`,
      name: `run ${id}`,
      run_type: 'chain',
      start_time: '2026-01-05T00:00:00Z',
      session_name: project,
      inputs: { asked: id },
      outputs: { said: 1 },
      ...(thread_id === undefined ? {} : { extra: { metadata: { thread_id } } }),
    };
    const sent = await fixture.send('/runs', { method: 'POST', body: JSON.stringify(run) });
    if (sent.status !== 202) throw new Error(await sent.text());
    return id;
  };
  return {
    fixture,
    clock,
    ingestRun,
    reviewer: (): Reviewer => fixture.client(WORKSPACE, `key:${uuidv7()}`),
    projectId: async (name: string) =>
      (await fixture.client().listSessions({ query: { name } }))[0]?.id ?? '',
    /** A queue with some runs in it. */
    makeQueue: async (fields: object = {}, runs = 2) => {
      const client = fixture.client();
      const { id: queue_id } = await client.createAnnotationQueue({ body: { name: 'q', ...fields } });
      const params = { queue_id };
      const run_ids: string[] = [];
      for (let count = 0; count < runs; count += 1) run_ids.push(await ingestRun());
      if (runs > 0) await client.addRunsToQueue({ params, query: {}, body: run_ids });
      return { queue_id, params, run_ids };
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export const statusOf = async (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 200,
    (error: unknown) => (error as { status: number }).status,
  );

export const idsOf = async (who: Reviewer, queue_id: string, query = {}) =>
  (await who.listQueuedRuns({ params: { queue_id }, query })).map((run) => run.id);

export const entryOf = async (who: Reviewer, queue_id: string, run_id: string) => {
  const runs = await who.listQueuedRuns({ params: { queue_id }, query: {} });
  return runs.find((run) => run.id === run_id)?.queue_run_id ?? '';
};

export const say = async (who: Reviewer, item_id: string, said: 'viewed' | 'completed' | null) =>
  who.setQueueItemStatus({ params: { item_id }, body: { status: said } });
