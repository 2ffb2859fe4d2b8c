import { randomUUID } from 'node:crypto';
import { eventually } from '@roadstead/testing';
import { api, platform } from './console.ts';
import { makeDataset, makeExamples, makeProject, runsThere, sendRun } from './experiments.ts';
import {
  free,
  type HostilePart,
  hostileName,
  long,
  make,
  messages,
  removing,
  shows,
  WORD,
} from './hostile-texts.ts';
import { shortOf } from './payloads.ts';

/** Traces, datasets, experiments, queues and prompts whose every text is an attack. */

export async function makeTraces() {
  const { id: project } = await makeProject(hostileName(200), {
    description: long,
    extra: { metadata: free },
  });
  const run = randomUUID();
  const thread = hostileName(100);
  const start_time = new Date(Date.now() - 5000).toISOString();
  const sent = {
    id: run,
    trace_id: run,
    dotted_order: `${start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${run}`,
    session_id: project,
    name: hostileName(200),
    run_type: 'llm',
    start_time,
    end_time: new Date().toISOString(),
    inputs: { messages },
    outputs: { messages, html: long },
    error: long,
    tags: [hostileName(100), shortOf(100)],
    extra: { metadata: { ...free, thread_id: thread, ls_model_name: shortOf(90) }, runtime: free },
    events: [{ name: long, time: start_time, message: long, kwargs: free }],
  };
  const form = new FormData();
  form.append(`post.${run}`, json(sent));
  for (const [file, type, content] of files)
    form.append(`attachment.${run}.${file}`, new Blob([content], { type }));
  const headers = { 'x-api-key': platform.key };
  const taken = await fetch(`${platform.url}/runs/multipart`, { method: 'POST', headers, body: form });
  if (!taken.ok) throw new Error(await taken.text());
  await eventually(() => api(`/runs/${run}`));
  await make('/feedback', {
    run_id: run,
    session_id: project,
    key: hostileName(100),
    score: 1,
    value: long,
    comment: long,
    correction: { text: long },
  });
  const { share_token: share } = await api<{ share_token: string }>(`/runs/${run}/share`, {
    method: 'PUT',
    body: { run_id: run },
  });
  const trace = `/projects/${project}/traces/${run}`;
  return {
    project,
    run,
    shared: [shows(`/public/${share}/r`)],
    views: [
      shows('/'),
      shows('/projects'),
      shows(`/projects/${project}`),
      shows(trace),
      ...['feedback', 'details', 'logs'].map((part) => shows(`${trace}?part=${part}`)),
      shows(`${trace}?as=graph`),
      shows(`/projects/${project}/threads`),
      shows(`/projects/${project}/threads/${encodeURIComponent(thread)}`),
      shows(`/monitoring?project=${project}`),
      shows(`/runs/${run}`),
      shows('/settings/usage'),
    ],
    undo: [removing(`/sessions/${project}`)],
  };
}

const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: 'application/json' });

const ACTIVE = `<svg xmlns="http://www.w3.org/2000/svg" onload="self.ran=1"><script>self.ran=1;alert(1)</script></svg>`;
/** Files that are pages, where a browser takes them for such. */
export const files = [
  ['page', 'text/html', `<script>self.ran=1;alert(1)</script>`],
  ['drawing', 'image/svg+xml', ACTIVE],
  ['xhtml', 'application/xhtml+xml', ACTIVE],
  ['feed', 'text/xml', ACTIVE],
  ['program', 'text/javascript', 'self.ran=1'],
] as const;

export async function makeDatasets(): Promise<HostilePart> {
  const { id } = await makeDataset(hostileName(200), { description: long, metadata: free });
  const [example] = await makeExamples(id, [
    { inputs: { question: long, messages }, outputs: free, metadata: free },
  ]);
  const { share_token } = await api<{ share_token: string }>(`/datasets/${id}/share`, {
    method: 'PUT',
    body: {},
  });
  return {
    views: [
      shows('/datasets'),
      shows(`/datasets/${id}`),
      shows(`/datasets/${id}?example=${example?.id ?? ''}`),
      shows('/settings/shared'),
    ],
    shared: [shows(`/public/${share_token}/d`)],
    undo: [removing(`/datasets/${id}`)],
  };
}

/** Two experiments on an example, which are held against each other, and pair by pair. */
export async function makeExperiments(): Promise<HostilePart> {
  const { id: dataset } = await makeDataset(hostileName(200));
  const [example] = await makeExamples(dataset, [{ inputs: { question: long }, outputs: free }]);
  const experiment = async () => {
    const project = await makeProject(hostileName(150), {
      reference_dataset_id: dataset,
      description: long,
      extra: { metadata: free },
    });
    await sendRun({
      session_id: project.id,
      inputs: { question: long },
      outputs: { answer: `${long} ${project.id}` },
      error: long,
      ...(example !== undefined && { reference_example_id: example.id }),
      scores: { [hostileName(100)]: 1 },
    });
    await runsThere(project.id, 1);
    return project.id;
  };
  const experiments = [await experiment(), await experiment()];
  const comparison = await make('/datasets/comparative', {
    name: hostileName(200),
    description: long,
    experiment_ids: experiments,
    reference_dataset_id: dataset,
  });
  const compare = `/datasets/${dataset}/compare?experiments=${encodeURIComponent(JSON.stringify(experiments))}`;
  return {
    views: [
      shows(`/datasets/${dataset}?tab=experiments`),
      shows(compare),
      shows(`${compare}&example=${example?.id ?? ''}`),
      shows(`${compare}&example=${example?.id ?? ''}&against=baseline`),
      shows(`${compare}&view=pairs&comparison=${comparison.id}`),
    ],
    undo: [
      removing(`/datasets/comparative/${comparison.id}`),
      ...experiments.map((one) => removing(`/sessions/${one}`)),
      removing(`/datasets/${dataset}`),
    ],
  };
}

export async function makeQueue(run: string): Promise<HostilePart> {
  const { id } = await make('/annotation-queues', {
    name: hostileName(200),
    description: long,
    rubric_instructions: long,
    metadata: free,
    rubric_items: [
      { feedback_key: hostileName(170), description: long, value_descriptions: { [shortOf(90)]: long } },
    ],
  });
  await api(`/annotation-queues/${id}/runs`, { method: 'POST', body: [run] });
  return {
    views: [shows('/queues'), shows(`/queues/${id}`)],
    undo: [removing(`/annotation-queues/${id}`)],
  };
}

/** A prompt of two versions, and a provider on whose models it can be tried. */
export async function makePrompt(): Promise<HostilePart> {
  const about = { description: hostileName(200), readme: long, tags: [shortOf(60)] };
  await make('/repos', { repo_handle: WORD, is_public: false, ...about });
  const first = await makeCommit({
    manifest: manifestOf(`${long} at first`),
    description: hostileName(1000),
  });
  const second = await makeCommit({
    manifest: manifestOf(long),
    description: hostileName(1000),
    parent_commit: first,
  });
  const provider = await make('/v2/model-providers', {
    name: hostileName(150),
    kind: 'openai',
    base_url: `https://evil.invalid/${WORD}`,
    models: [hostileName(200), shortOf(200)],
  });
  return {
    views: [
      shows('/prompts'),
      shows(`/prompts/${WORD}`),
      shows(`/prompts/${WORD}?commit=${second}&against=${first}`),
      shows(`/playground?prompt=${WORD}&provider=${provider.id}`),
      shows('/settings/providers'),
    ],
    undo: [removing(`/repos/-/${WORD}`), removing(`/v2/model-providers/${provider.id}`)],
  };
}

async function makeCommit(body: object): Promise<string> {
  const { commit } = await make<{ commit: { commit_hash: string } }>(`/commits/-/${WORD}`, body);
  return commit.commit_hash;
}

const lc = (path: readonly string[], kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', ...path],
  kwargs,
});

function manifestOf(text: string): object {
  const template = { template: text, template_format: 'mustache', input_variables: [] };
  const prompt = lc(['prompt', 'PromptTemplate'], template);
  const asked = lc(['chat', 'HumanMessagePromptTemplate'], { prompt });
  return lc(['chat', 'ChatPromptTemplate'], { input_variables: [], messages: [asked] });
}
