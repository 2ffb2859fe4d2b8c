import { randomUUID } from 'node:crypto';
import { api } from './console.ts';

/** Makes a project with runs of half an hour, the last one by default, every third of which failed. */
export async function makeFailingRuns({
  run_name = 'answer',
  until_ms = Date.now(),
  more = {},
}: { readonly run_name?: string; readonly until_ms?: number; readonly more?: object } = {}): Promise<{
  readonly id: string;
  readonly name: string;
}> {
  const name = `figures-${randomUUID().slice(0, 8)}`;
  const runs = Array.from({ length: 30 }, (_, index) => {
    const id = randomUUID();
    const start_ms = until_ms - 60_000 * (index + 1);
    const stamp = new Date(start_ms).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z');
    return {
      id,
      trace_id: id,
      dotted_order: `${stamp}${id}`,
      session_name: name,
      name: run_name,
      run_type: 'llm',
      start_time: new Date(start_ms).toISOString(),
      end_time: new Date(start_ms + 400 + index * 50).toISOString(),
      inputs: { messages: [{ role: 'user', content: 'Hello' }] },
      outputs: { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
      ...(index % 3 === 0 && { error: 'ValueError: no order of this number' }),
      ...more,
    };
  });
  await api('/api/v1/runs/batch', { method: 'POST', body: { post: runs, patch: [] } });
  const [project] = await api<{ id: string }[]>(`/api/v1/sessions?name=${name}`);
  return { id: project?.id ?? '', name };
}
