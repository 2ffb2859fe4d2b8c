import { randomUUID } from 'node:crypto';
import { eventually } from '@roadstead/testing';
import { api, platform } from './console.ts';
import { makeDataset, makeExamples, makeProject } from './experiments.ts';
import { allPayloads, shortOf } from './payloads.ts';
import { PlayedListener } from './played-listener.ts';

/** One of each thing that a tenant can store, whose every text holds payloads, and the views that show them. */

export interface HostileView {
  /** Below `/console`. */
  readonly path: string;
  /** What is there once the view has shown the thing. */
  readonly shows: string;
}

interface HostileThings extends AsyncDisposable {
  readonly views: readonly HostileView[];
  /** Addresses of the views that need no sign-in. */
  readonly shared: readonly HostileView[];
  /** The run whose attachments have active content. */
  readonly run: string;
}

/** Begins every text, so that one finds it. */
const WORD = `hostile-${randomUUID().slice(0, 8)}`;
const name = (most: number) => `${WORD} ${shortOf(most - WORD.length - 1)}`;
const long = `${WORD} ${allPayloads}`;
const free = { text: long, [allPayloads]: long, list: [long], url: 'javascript:self.ran=1' };

type Undo = () => Promise<unknown>;
interface Part {
  readonly views: readonly HostileView[];
  readonly undo: readonly Undo[];
  readonly shared?: readonly HostileView[];
}

const shows = (path: string, text = WORD): HostileView => ({ path, shows: text });
const make = <T = { readonly id: string }>(path: string, body: object) =>
  api<T>(path, { method: 'POST', body });
const removing =
  (path: string): Undo =>
  () =>
    api(path, { method: 'DELETE' });

export async function makeHostileThings(): Promise<HostileThings> {
  const traces = await makeTraces();
  const parts: readonly Part[] = [
    traces,
    ...(await Promise.all([
      makeDatasets(),
      makeQueue(traces.run),
      makeTalk(),
      makePrompt(),
      makeSettings(traces.project),
      makeDeployment(),
    ])),
  ];
  return {
    views: parts.flatMap(({ views }) => views),
    shared: [shows(`/public/${traces.share}/r`), ...parts.flatMap(({ shared = [] }) => shared)],
    run: traces.run,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(parts.flatMap(({ undo }) => undo).map((one) => one()));
    },
  };
}

const messages = [
  { role: 'user', content: long, name: shortOf(60) },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: long },
      { type: 'image_url', image_url: { url: 'javascript:self.ran=1' } },
      { type: 'image_url', image_url: { url: 'https://evil.invalid/message.png' } },
      { type: 'image_url', image_url: { url: `data:image/svg+xml,<svg onload="self.ran=1"/>` } },
      { type: 'thinking', thinking: long },
      { type: 'input_audio', input_audio: { data: allPayloads, format: '"><script>' } },
      { type: allPayloads, text: allPayloads },
    ],
    tool_calls: [{ id: shortOf(60), name: name(120), args: free, type: 'tool_call' }],
  },
  { role: 'tool', content: long, name: name(60), tool_call_id: shortOf(60) },
];

async function makeTraces() {
  const { id: project } = await makeProject(name(200), { description: long, extra: { metadata: free } });
  const run = randomUUID();
  const thread = name(100);
  const start_time = new Date(Date.now() - 5000).toISOString();
  const sent = {
    id: run,
    trace_id: run,
    dotted_order: `${start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${run}`,
    session_id: project,
    name: name(200),
    run_type: 'llm',
    start_time,
    end_time: new Date().toISOString(),
    inputs: { messages },
    outputs: { messages, html: long },
    error: long,
    tags: [name(100), shortOf(100)],
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
    key: name(100),
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
    share,
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

async function makeDatasets(): Promise<Part> {
  const { id } = await makeDataset(name(200), { description: long, metadata: free });
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

async function makeQueue(run: string): Promise<Part> {
  const { id } = await make('/annotation-queues', {
    name: name(200),
    description: long,
    rubric_instructions: long,
    metadata: free,
    rubric_items: [
      { feedback_key: name(170), description: long, value_descriptions: { [shortOf(90)]: long } },
    ],
  });
  await api(`/annotation-queues/${id}/runs`, { method: 'POST', body: [run] });
  return {
    views: [shows('/queues'), shows(`/queues/${id}`)],
    undo: [removing(`/annotation-queues/${id}`)],
  };
}

async function makePrompt(): Promise<Part> {
  const about = { description: name(200), readme: long, tags: [shortOf(60)] };
  await make('/repos', { repo_handle: WORD, is_public: false, ...about });
  const lc = (path: readonly string[], kwargs: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', ...path],
    kwargs,
  });
  const template = { template: long, template_format: 'mustache', input_variables: [] };
  const prompt = lc(['prompt', 'PromptTemplate'], template);
  const asked = lc(['chat', 'HumanMessagePromptTemplate'], { prompt });
  const manifest = lc(['chat', 'ChatPromptTemplate'], { input_variables: [], messages: [asked] });
  await make(`/commits/-/${WORD}`, { manifest });
  return {
    views: [shows('/prompts'), shows(`/prompts/${WORD}`), shows(`/playground?prompt=${WORD}`)],
    undo: [removing(`/repos/-/${WORD}`)],
  };
}

async function makeTalk(): Promise<Part> {
  const agent = '/agents/support-agent';
  const { thread_id } = await make<{ thread_id: string }>(`${agent}/threads`, {
    metadata: { title: name(300), graph_id: 'agent', ...free },
  });
  await make(`${agent}/threads/${thread_id}/state`, {
    values: { messages: messages.map((one) => ({ ...one, id: randomUUID() })) },
  });
  const { assistant_id } = await make<{ assistant_id: string }>(`${agent}/assistants`, {
    graph_id: 'agent',
    name: name(200),
    description: long,
    metadata: free,
    context: free,
    config: { tags: [long] },
  });
  const { cron_id } = await make<{ cron_id: string }>(`${agent}/runs/crons`, {
    assistant_id,
    schedule: '7 3 1 1 *',
    input: { messages },
    metadata: free,
  });
  const namespace = [WORD, shortOf(100).replaceAll('.', ' ')];
  const item = { namespace, key: name(200) };
  await api(`${agent}/store/items`, { method: 'PUT', body: { ...item, value: free } });
  const waiting = await make<{ thread_id: string }>('/agents/approval-agent/threads', { metadata: free });
  await make(`/agents/approval-agent/threads/${waiting.thread_id}/runs/wait`, {
    assistant_id: 'agent',
    input: { messages: [{ role: 'user', content: `Refund 31 euros ${long}` }] },
  });
  const inbox = `/inbox?agent=approval-agent&thread=${waiting.thread_id}`;
  const labels = namespace.join('.');
  const place = new URLSearchParams({ namespace: labels, item: `${labels}/${item.key}` });
  return {
    views: [
      shows(`/talk/support-agent?thread=${thread_id}&side=steps`),
      shows('/talk/support-agent/threads'),
      shows(`/talk/support-agent/assistants?assistant=${assistant_id}`),
      shows('/talk/support-agent/crons'),
      shows(`/talk/support-agent/store?${place.toString()}`),
      shows(inbox, 'Shall I refund 31 euros'),
    ],
    undo: [
      removing(`${agent}/runs/crons/${cron_id}`),
      removing(`${agent}/assistants/${assistant_id}`),
      removing(`${agent}/threads/${thread_id}`),
      removing(`/agents/approval-agent/threads/${waiting.thread_id}`),
      () => api(`${agent}/store/items`, { method: 'DELETE', body: item }),
    ],
  };
}

async function makeSettings(project: string): Promise<Part> {
  const key = await make('/v2/api-keys', { name: name(100), scopes: ['reader'] });
  const hook = await make('/v2/webhooks', {
    url: `https://evil.invalid/${WORD}?${encodeURI(shortOf(500))}`,
    enabled: false,
  });
  const integration = await make('/v2/integrations', {
    kind: 'generic',
    name: name(100),
    host: 'git.example.com',
  });
  const webhooks = [
    { url: `https://evil.invalid/${WORD}?${encodeURI(shortOf(300))}`, headers: { 'x-hostile': name(300) } },
  ];
  const rule = await make('/runs/rules', {
    display_name: name(300),
    sampling_rate: 1,
    is_enabled: false,
    session_id: project,
    filter: `eq(name, ${JSON.stringify(shortOf(200))})`,
    webhooks,
  });
  const alert = await make('/v2/alerts', {
    name: name(200),
    metric: 'feedback_average',
    feedback_key: name(100),
    window_s: 60,
    comparison: 'above',
    threshold: 1,
    is_enabled: false,
    webhooks,
    project_ids: [project],
    filter: `eq(name, ${JSON.stringify(shortOf(200))})`,
  });
  const price = await make('/model-price-map', {
    name: name(200),
    match_pattern: WORD,
    provider: shortOf(150),
    prompt_cost: 0.1,
    completion_cost: 0.1,
  });
  return {
    views: [
      shows('/settings/keys'),
      shows('/settings/webhooks'),
      shows(`/settings/webhooks/${hook.id}`),
      shows('/settings/integrations'),
      shows('/settings/rules'),
      shows(`/settings/rules/${rule.id}`),
      shows('/settings/prices'),
      shows('/settings/events'),
      shows('/alerts'),
      shows(`/alerts/${alert.id}`),
    ],
    undo: [
      removing(`/v2/api-keys/${key.id}`),
      removing(`/v2/webhooks/${hook.id}`),
      removing(`/v2/integrations/${integration.id}`),
      removing(`/runs/rules/${rule.id}`),
      removing(`/v2/alerts/${alert.id}`),
      removing(`/model-price-map/${price.id}`),
    ],
  };
}

async function makeDeployment(): Promise<Part> {
  const listener = await PlayedListener.open();
  const id = await listener.deploy(WORD, [{ name: 'SECRET', value: allPayloads }]);
  await api(`/v2/deployments/${id}`, { method: 'PATCH', body: { display_name: name(200) } });
  const reason = { code: 'exited', message: long, hint: long, log_tail: [long] };
  const revision_id = await listener.report(id, { phase: 'health', outcome: 'failed', reason });
  const lines = [{ level: 'ERROR', message: long }];
  await listener.write({ deployment_id: id, revision_id, kind: 'server' }, lines);
  return {
    views: [
      shows('/deployments'),
      shows(`/deployments/${id}`),
      shows(`/deployments/${id}/revisions/${revision_id}`),
      shows(`/deployments/${id}/logs`),
      shows(`/deployments/${id}/environment`, 'SECRET'),
      shows(`/deployments/${id}/settings`),
      shows(`/deployments/${id}/resources`),
    ],
    undo: [() => listener[Symbol.asyncDispose]()],
  };
}
