import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../support/platform.ts';
import { api, platform } from './console.ts';

const folder = fileURLToPath(new URL('../../agents/gate', import.meta.url));

/** An agent that asks what it is told to ask, and keeps the answer in the state of its thread. */
export interface AskingAgent extends AsyncDisposable {
  readonly slug: string;
  /** A thread that waits for the answer to this. */
  readonly ask: (question: unknown) => Promise<string>;
  /** What the thread was answered, once it has ended. */
  readonly answerOn: (thread_id: string) => Promise<unknown>;
}

export async function deployAsking(): Promise<AskingAgent> {
  const slug = `asking-${randomUUID().slice(0, 6)}`;
  const env = { ...process.env, ROADSTEAD_URL: platform.url, ROADSTEAD_API_KEY: platform.key };
  const args = ['deploy', folder, '--config', 'asking.json', '--name', slug];
  const { code, stdout, stderr } = await runCommand(args, env);
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  const threads = `/agents/${slug}/threads`;
  return {
    slug,
    ask: async (question) => {
      const { thread_id } = await api<{ thread_id: string }>(threads, { method: 'POST', body: {} });
      const body = { assistant_id: 'agent', input: { question } };
      await api(`${threads}/${thread_id}/runs/wait`, { method: 'POST', body });
      return thread_id;
    },
    answerOn: async (thread_id) =>
      (await api<{ values: { answer?: unknown } }>(`${threads}/${thread_id}`)).values.answer,
    [Symbol.asyncDispose]: async () => {
      const found = await api<{ resources: { id: string }[] }>(`/v2/deployments?name=${slug}`);
      for (const { id } of found.resources)
        await api(`/v2/deployments/${id}?force=true&delete_tracing_project=true`, { method: 'DELETE' });
    },
  };
}
