import type { RunParams } from '@roadstead/contracts/host';
import { Admission } from '@roadstead/kit';
import type { Job } from '../../../packages/agent-server/src/hosts/graph-host.ts';
import { WaitingJobs } from '../../../packages/agent-server/src/hosts/waiting-jobs.ts';
import { SchemaChecker } from '../../../packages/observability/src/schemas/schema-checker.ts';
import { readBound, takeTraces } from '../../../packages/observability/src/ingestion/intake-work.ts';
import type { Name } from './gate.ts';

/** What ends by itself: in which order it is served, with so many pieces of a flood before that of another. */
type ServingOrder = (flood: number) => Promise<readonly Name[]>;

const namesOf = (flood: number): Name[] => [
  ...Array.from({ length: flood }, () => 'greedy' as const),
  'other',
];

const checks: ServingOrder = async (flood) => {
  await using checker = new SchemaChecker();
  const served: Name[] = [];
  await Promise.all(
    namesOf(flood).map(async (workspace_id) => {
      await checker.requireSchemas({ workspace_id, inputs_schema_definition: { type: 'object' } });
      served.push(workspace_id);
    }),
  );
  return served;
};

/** Bodies hold one run each; those of the flood are large. */
const readings: ServingOrder = async (flood) => {
  const served: Name[] = [];
  const reading = new Admission(readBound);
  const queue = {
    add: async ({ workspace_id }: { readonly workspace_id: string }) => {
      served.push(workspace_id as Name);
      return { refused: [], left_out: [], flattened: [] };
    },
  };
  await Promise.all(
    namesOf(flood).map((workspace_id) => {
      const inputs = { text: 'x'.repeat(workspace_id === 'greedy' ? 1_000_000 : 10) };
      const id = crypto.randomUUID();
      const start_time = '2026-01-01T00:00:00Z';
      const run = { id, trace_id: id, dotted_order: `20260101T000000000000Z${id}`, name: 'r', inputs };
      const post = [{ ...run, run_type: 'chain', start_time, session_name: 's' }];
      const bytes = Buffer.from(JSON.stringify({ post, patch: [] }));
      return takeTraces({ queue, reading }, { workspace_id, bytes, dialect: 'batch' });
    }),
  );
  return served;
};

/** Hosts have ten of the flood when the other comes; then one ends after the other. */
const jobs: ServingOrder = async (flood) => {
  const waiting = new WaitingJobs();
  const push = (principal: Name) =>
    waiting.push({
      params: { run_id: crypto.randomUUID(), attempt: 1 } as RunParams,
      principal,
      alone: false,
      moves: 0,
      resolve: () => undefined,
      reject: () => undefined,
    });
  const given: Job[] = [];
  const take = () => {
    const job = waiting.take('shared');
    if (job !== undefined) given.push(job);
    return job?.principal as Name | undefined;
  };
  for (let at = 0; at < flood + 10; at += 1) push('greedy');
  for (let at = 0; at < 10; at += 1) take();
  push('other');
  const served: Name[] = [];
  for (let name; (name = take()) !== undefined;) {
    served.push(name);
    given.shift()?.resolve({ outcome: 'success', interrupts: [], output: null });
  }
  return served;
};

export const inOrder: Readonly<Record<string, ServingOrder>> = {
  'examples that are held against schemas': checks,
  'bodies of traces that are read by the thread': readings,
  'runs that wait for a graph host': jobs,
};
