import { randomUUID } from 'node:crypto';
import { eventually } from '@roadstead/testing';
import { api } from './console.ts';

/** Datasets with experiments and projects with runs, made by the API alone, for stories of the console. */

export interface MadeRun {
  readonly session_id: string;
  readonly inputs: object;
  readonly outputs: object | null;
  readonly reference_example_id?: string;
  readonly scores?: Readonly<Record<string, number>>;
  readonly error?: string;
  readonly run_type?: string;
  readonly extra?: object;
}

/** Sends a run that has ended, and its scores. */
export async function sendRun({ scores = {}, ...run }: MadeRun): Promise<string> {
  const id = randomUUID();
  const start_time = new Date(Date.now() - 3000).toISOString();
  const stamp = start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z');
  await api('/runs', {
    method: 'POST',
    body: {
      id,
      trace_id: id,
      dotted_order: `${stamp}${id}`,
      name: 'answer',
      run_type: 'chain',
      start_time,
      end_time: new Date().toISOString(),
      ...run,
    },
  });
  for (const [key, score] of Object.entries(scores))
    await api('/feedback', { method: 'POST', body: { run_id: id, session_id: run.session_id, key, score } });
  return id;
}

export const makeDataset = (name: string, more: object = {}) =>
  api<{ id: string }>('/datasets', { method: 'POST', body: { name, ...more } });

export const makeExamples = (dataset_id: string, values: readonly object[]) =>
  api<{ id: string; inputs: { question: string } }[]>('/examples/bulk', {
    method: 'POST',
    body: values.map((one) => ({ dataset_id, ...one })),
  });

export const makeProject = (name: string, more: object = {}) =>
  api<{ id: string }>('/sessions', { method: 'POST', body: { name, ...more } });

/** Waits until all runs of a project can be read. */
export const runsThere = (session_id: string, count: number): Promise<void> =>
  eventually(async () => {
    const body = { session: [session_id], is_root: true };
    const { runs } = await api<{ runs: unknown[] }>('/runs/query', { method: 'POST', body });
    if (runs.length !== count) throw new Error(`There are ${runs.length} runs of ${count}.`);
  });
