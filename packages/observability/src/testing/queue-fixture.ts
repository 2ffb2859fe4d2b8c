import { uuidv7 } from '@roadstead/kit';
import { ingestRun } from './ingest-run.ts';
import { type Fixture, startFixture, WORKSPACE } from './observability-fixture.ts';

/** Annotation queues with runs in them, and their reviewers. */

export type Reviewer = ReturnType<Fixture['client']>;

export async function startQueueFixture() {
  /** The service's clock; tests move it on. */
  const clock = { now_ms: Date.now() };
  const fixture = await startFixture({ clock: { now: () => clock.now_ms } });
  /** A root run; on a thread where one is given. */
  const ingest = (project = 'queued', thread_id?: string): Promise<string> => {
    const id = uuidv7();
    return ingestRun(fixture, project, {
      id,
      name: `run ${id}`,
      inputs: { asked: id },
      outputs: { said: 1 },
      ...(thread_id === undefined ? {} : { extra: { metadata: { thread_id } } }),
    });
  };
  return {
    fixture,
    clock,
    ingestRun: ingest,
    reviewer: (): Reviewer => fixture.client(WORKSPACE, `key:${uuidv7()}`),
    projectId: async (name: string) =>
      (await fixture.client().listSessions({ query: { name } }))[0]?.id ?? '',
    /** A queue with some runs in it. */
    makeQueue: async (fields: object = {}, runs = 2) => {
      const client = fixture.client();
      const { id: queue_id } = await client.createAnnotationQueue({ body: { name: 'q', ...fields } });
      const params = { queue_id };
      const run_ids: string[] = [];
      for (let count = 0; count < runs; count += 1) run_ids.push(await ingest());
      if (runs > 0) await client.addRunsToQueue({ params, query: {}, body: run_ids });
      return { queue_id, params, run_ids };
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export const idsOf = async (who: Reviewer, queue_id: string, query = {}) =>
  (await who.listQueuedRuns({ params: { queue_id }, query })).map((run) => run.id);

export const entryOf = async (who: Reviewer, queue_id: string, run_id: string) => {
  const runs = await who.listQueuedRuns({ params: { queue_id }, query: {} });
  return runs.find((run) => run.id === run_id)?.queue_run_id ?? '';
};

export const say = async (who: Reviewer, item_id: string, said: 'viewed' | 'completed' | null) =>
  who.setQueueItemStatus({ params: { item_id }, body: { status: said } });
