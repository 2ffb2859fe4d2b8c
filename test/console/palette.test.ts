import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { authorizeApplication } from './support/authorized-application.ts';
import { api, useConsole } from './support/console.ts';
import { makeDataset, makeExamples, makeProject, runsThere, sendRun } from './support/experiments.ts';

/** What Ctrl K finds beside deployments, projects and their like: one thing of each kind, by its id or its name. */

const { signedIn } = useConsole();

type Undo = () => Promise<unknown>;
interface Sought {
  /** What is typed: an id, or a part of a name. */
  readonly words: string;
  /** What is offered. */
  readonly option: string;
  /** Where it leads, below `/console`. */
  readonly leads: string;
  readonly undo?: Undo;
}

const name = `sought-${randomUUID().slice(0, 8)}`;
const made = (path: string, body: object) => api<{ id: string }>(path, { method: 'POST', body });
const removing =
  (path: string): Undo =>
  () =>
    api(path, { method: 'DELETE' });

const kinds: Readonly<Record<string, () => Promise<Sought>>> = {
  revision: async () => {
    const { resources } = await api<{ resources: { id: string; active_revision_id: string }[] }>(
      '/v2/deployments?name=support-agent',
    );
    const [{ id, active_revision_id } = { id: '', active_revision_id: '' }] = resources;
    const path = `/deployments/${id}/revisions/${active_revision_id}`;
    const { number } = await api<{ number: number }>(`/v2${path}`);
    const option = `support-agent, revision ${number} revision`;
    return { words: active_revision_id, option, leads: path };
  },
  assistant: async () => {
    const body = { graph_id: 'agent', name };
    const { assistant_id } = await api<{ assistant_id: string }>('/agents/support-agent/assistants', {
      method: 'POST',
      body,
    });
    return {
      words: assistant_id,
      option: 'support-agent assistant',
      leads: `/talk/support-agent/assistants?assistant=${assistant_id}`,
      undo: removing(`/agents/support-agent/assistants/${assistant_id}`),
    };
  },
  'assistant by its name': async () => {
    const { assistant_id } = await api<{ assistant_id: string }>('/agents/support-agent/assistants', {
      method: 'POST',
      body: { graph_id: 'agent', name: `${name} assistant` },
    });
    return {
      words: `${name} assistant`,
      option: `${name} assistant of support-agent assistant`,
      leads: `/talk/support-agent/assistants?assistant=${assistant_id}`,
      undo: removing(`/agents/support-agent/assistants/${assistant_id}`),
    };
  },
  prompt: async () => {
    const { repo } = await api<{ repo: { id: string } }>('/repos', {
      method: 'POST',
      body: { repo_handle: name, is_public: false },
    });
    return {
      words: repo.id,
      option: `${name} prompt`,
      leads: `/prompts/${name}`,
      undo: removing(`/repos/-/${name}`),
    };
  },
  conversation: async () => {
    const { id } = await makeProject(`${name} talks`);
    const thread_id = `${name} thread`;
    await sendRun({ session_id: id, inputs: {}, outputs: {}, extra: { metadata: { thread_id } } });
    await runsThere(id, 1);
    return {
      words: thread_id,
      option: `${thread_id} in ${name} talks conversation`,
      leads: `/projects/${id}/threads/${encodeURIComponent(thread_id)}`,
      undo: removing(`/sessions/${id}`),
    };
  },
  'model provider': async () => {
    const { id } = await made('/v2/model-providers', { kind: 'openai', name });
    const undo = removing(`/v2/model-providers/${id}`);
    return { words: name, option: `${name} model provider`, leads: '/settings/providers', undo };
  },
  example: async () => {
    const { id } = await makeDataset(`${name} of an example`);
    const [example] = await makeExamples(id, [{ inputs: { question: name } }]);
    return {
      words: example?.id ?? '',
      option: 'example',
      leads: `/datasets/${id}?example=${example?.id ?? ''}`,
      undo: removing(`/datasets/${id}`),
    };
  },
  experiment: async () => {
    const { id: reference_dataset_id } = await makeDataset(`${name} of an experiment`);
    const { id } = await makeProject(`${name} tried`, { reference_dataset_id });
    return {
      words: `${name} tried`,
      option: `${name} tried experiment`,
      leads: `/datasets/${reference_dataset_id}/compare?experiments=${encodeURIComponent(JSON.stringify([id]))}`,
      undo: async () => {
        await api(`/sessions/${id}`, { method: 'DELETE' });
        await api(`/datasets/${reference_dataset_id}`, { method: 'DELETE' });
      },
    };
  },
  listener: async () => {
    const body = { compute_type: 'container', compute_id: name, compute_config: {} };
    const { id } = await made('/v2/listeners', body);
    const undo = removing(`/v2/listeners/${id}`);
    return { words: id, option: `${name} listener`, leads: '/settings/listeners', undo };
  },
  integration: async () => {
    const { id } = await made('/v2/integrations', { kind: 'generic', name, host: 'git.example.com' });
    const undo = removing(`/v2/integrations/${id}`);
    return { words: name, option: `${name} integration`, leads: '/settings/integrations', undo };
  },
  webhook: async () => {
    const url = `https://receiver.invalid/${name}`;
    const { id } = await made('/v2/webhooks', { url, enabled: false });
    const undo = removing(`/v2/webhooks/${id}`);
    return { words: `/${name}`, option: `${url} webhook`, leads: `/settings/webhooks/${id}`, undo };
  },
  key: async () => {
    const { id } = await made('/v2/api-keys', { name, scopes: ['reader'] });
    return {
      words: id,
      option: `${name} key`,
      leads: '/settings/keys',
      undo: removing(`/v2/api-keys/${id}`),
    };
  },
};

test.each(Object.entries(kinds))(
  'when a name or id of a kind (%s) is given to Ctrl K, then it leads there',
  async (_kind, make) => {
    const { words, option, leads, undo } = await make();
    try {
      const page = await signedIn();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Name or id' }).fill(words);
      await page.getByRole('option', { name: option }).click();
      await expect.poll(() => page.url()).toContain(`/console${leads}`);
    } finally {
      await undo?.();
    }
  },
);

test('when the name of an application is given to Ctrl K, then it leads to all of them', async () => {
  const page = await signedIn();
  await authorizeApplication(page, `${name} client`);
  const there = await signedIn();
  await there.keyboard.press('Control+k');
  await there.getByRole('combobox', { name: 'Name or id' }).fill(`${name} client`);
  await there.getByRole('option', { name: `${name} client application` }).click();
  await expect.poll(() => there.url()).toMatch(/\/console\/settings\/applications$/);
});
