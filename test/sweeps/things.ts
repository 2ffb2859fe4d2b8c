import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Endpoint } from '@roadstead/contracts';
import { authorization, consent, register, Person } from '@roadstead/testing/oauth';
import type { RunningPlatform } from '../support/platform.ts';

/** One of everything in the platform's first workspace, so that sweeps can name real things. */

export type Ids = Readonly<Record<string, string>>;
export const THREAD = 'the-thread-of-the-first';

/** Throws for a parameter that stands for nothing here yet. */
export function of(ids: Ids, name: string): string {
  const id = ids[name];
  if (id === undefined) throw new Error(`Nothing of the first workspace is named {${name}}.`);
  return id;
}

export const filled = (address: string, ids: Ids) =>
  address.replaceAll(/\{(\w+)\}/g, (_, name: string) => of(ids, name));

export async function callPlatform(
  platform: RunningPlatform,
  path: string,
  { key = platform.key, ...init }: RequestInit & { key?: string } = {},
) {
  const headers = { 'content-type': 'application/json', ...(init.headers as object), 'x-api-key': key };
  const answer = await fetch(platform.url + path, { ...init, headers });
  const text = await answer.text();
  return { status: answer.status, text, json: () => JSON.parse(text) as Record<string, unknown> };
}

/** The text of an answer; a stream that would go on is left. */
export async function textOf(answer: Response, { success }: Endpoint): Promise<string> {
  const goesOn = answer.ok && success.media_types?.join() === 'text/event-stream';
  if (!goesOn) return answer.text();
  await answer.body?.cancel();
  return '';
}

let made_so_far = 0;

const REDIRECT = 'http://127.0.0.1:53122/callback';

/** Somebody authorizes an application. */
async function makeGrant(platform: RunningPlatform): Promise<string> {
  const { client_id } = await register(platform.url, { client_name: 'app-4711', redirect_uris: [REDIRECT] });
  const { address } = authorization(platform.url, { client_id, redirect_uri: REDIRECT });
  await consent(new Person(), { address, credential: { key: platform.key } });
  const { items } = (await callPlatform(platform, '/v2/grants?page_size=100')).json() as {
    items: { id: string; client_id: string }[];
  };
  return items.find((grant) => grant.client_id === client_id)?.id ?? '';
}

/** Makes things, and answers their ids by the names of their parameters; every text has `4711` in it. */
export async function makeThings(platform: RunningPlatform, named: Ids = {}): Promise<Ids> {
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await callPlatform(platform, path, { method: 'POST', body: JSON.stringify(body) });
    expect([answer.status < 300, path, answer.text]).toEqual([true, path, expect.anything()]);
    return answer.json();
  };
  const idOf = (name: string): string => named[name] ?? randomUUID();
  const [dataset_id, example_id, run_id, queue_id, experiment_id] = [
    idOf('dataset_id'),
    idOf('example_id'),
    idOf('run_id'),
    idOf('queue_id'),
    idOf('experiment_id'),
  ];
  made_so_far += 1;
  const name = `mine-${made_so_far}-4711`;
  const deployment = await make('/v2/deployments', {
    name,
    source: 'internal_source',
    source_config: {},
    source_revision_config: { langgraph_config_path: 'langgraph.json' },
    secrets: [{ name: 'TOKEN', value: 'canary-4711' }],
  });
  const session = await make('/sessions', { name: `project-${name}` });
  const key = await make('/v2/api-keys', { name: 'key-4711', scopes: ['reader'] });
  const user = await make('/v2/users', {
    name: `user-${name}`,
    password: 'canary-4711-canary',
    scopes: ['reader'],
  });
  const price = await make('/model-price-map', {
    name: 'price-4711',
    match_pattern: '^none$',
    prompt_cost: 0,
    completion_cost: 0,
  });
  // The thread keeps a turn, even if its run is deleted.
  for (const id of [run_id, randomUUID()])
    await make('/runs', {
      id,
      trace_id: id,
      dotted_order: `20260101T000000000000Z${id}`,
      name: 'run-4711',
      run_type: 'chain',
      start_time: '2026-01-01T00:00:00.000Z',
      session_id: session['id'],
      inputs: { text: 'canary-4711' },
      extra: { metadata: { thread_id: THREAD } },
    });
  const provider_id = `provider-${name}`;
  await make('/v2/auth/providers', {
    provider_id,
    name: 'provider-4711',
    client_id: 'client-4711',
    client_secret: 'canary-4711',
    auth_url: 'https://4711.example.com/authorize',
    token_url: 'https://4711.example.com/token',
  });
  const imported = { provider_id, access_token: 'canary-4711', scopes: ['scope-4711'] };
  const token = await make('/v2/auth/tokens/import', imported);
  const flow = await make('/v2/auth/authenticate', {
    provider: provider_id,
    scopes: ['scope-4711'],
    user_id: 'user-4711',
  });
  const agent = await make('/v1/agents', { id: `agent-4711-${made_so_far}` });
  const connection = await make(`/v2/auth/agents/${String(agent['id'])}/connections`, {
    oauth_token_id: token['token_id'],
  });
  const deletion = await make('/runs/delete', { metadata: { no_run: 'has it' } });
  const feedback = await make('/feedback', { run_id, key: 'key-4711', score: 1, comment: 'canary-4711' });
  const formula = await make('/feedback/formulas', {
    session_id: session['id'],
    feedback_key: 'formula-4711',
    aggregation_type: 'sum',
    formula_parts: [{ part_type: 'weighted_key', weight: 1, key: 'key-4711' }],
  });
  await make('/annotation-queues', { id: queue_id, name: 'queue-4711' });
  const identity_id = String(key['id']);
  await make(`/v1/platform/annotation-queues/${queue_id}/reviewers`, { identity_id });
  const entries = await make(`/annotation-queues/${queue_id}/runs`, [run_id]);
  const entry = String((entries as unknown as { id: string }[])[0]?.id);
  await make('/datasets', { id: dataset_id, name: `dataset-${name}` });
  await make('/examples', { id: example_id, dataset_id, inputs: { text: 'canary-4711' } });
  const experiment = await make('/sessions', {
    id: experiment_id,
    name: `experiment-${name}`,
    reference_dataset_id: dataset_id,
  });
  const comparison = await make('/datasets/comparative', {
    name: 'comparison-4711',
    experiment_ids: [experiment['id']],
  });
  const repo = `prompt-${name}`;
  await make('/repos', { repo_handle: repo, is_public: false });
  const { commit } = (await make(`/commits/-/${repo}`, {
    manifest: { lc: 1, type: 'constructor', id: ['langchain', 'PromptTemplate'], kwargs: { text: '4711' } },
  })) as { commit: { id: string } };
  await make(`/repos/-/${repo}/tags`, { tag_name: 'production', commit_id: commit.id });
  const model_provider = await make('/v2/model-providers', {
    name: `models-${name}`,
    kind: 'openai',
    base_url: 'https://4711.example.com/v1',
    api_key: 'canary-4711',
  });
  const played = await make('/v2/playground/experiments', {
    dataset_id,
    model_provider_id: model_provider['id'],
    model: 'model-4711',
    messages: [{ role: 'user', content: '{{text}}' }],
  });
  const limit = await callPlatform(platform, '/usage-limits', {
    method: 'PUT',
    body: JSON.stringify({ limit_type: 'monthly_traces', limit_value: 1_000_000 }),
  });
  const rule = await make('/runs/rules', {
    display_name: 'rule-4711',
    session_id: session['id'],
    sampling_rate: 1,
    filter: 'eq(name, "none")',
    extend_only: true,
  });
  const alert = await make('/v2/alerts', {
    name: 'alert-4711',
    metric: 'errors',
    window_s: 300,
    comparison: 'above',
    threshold: 1000,
    webhooks: [{ url: 'https://receiver.example/4711' }],
  });
  const integration = await make('/v2/integrations', {
    kind: 'generic',
    name: `integration-${name}`,
    host: 'git.example.com',
    credential: { kind: 'token', token: 'canary-4711' },
  });
  const listener = await make('/v2/listeners', {
    compute_type: 'process',
    compute_id: `listener-${name}`,
    compute_config: {},
  });
  const sign_in_link = await make('/v2/sign-in-links', {});
  const webhook = await make('/v2/webhooks', { url: 'https://receiver.example/4711' });
  // What the platform does of itself for a new deployment has been done.
  const ownKeys = `/v2/api-keys?deployment_id=${String(deployment['id'])}`;
  await expect.poll(async () => (await callPlatform(platform, ownKeys)).json()['items']).toHaveLength(1);
  return {
    workspace_id: String(deployment['tenant_id']),
    deployment_id: String(deployment['id']),
    project_id: String(deployment['id']),
    revision_id: String(deployment['latest_revision_id']),
    name: 'TOKEN',
    key_id: String(key['id']),
    user_id: String(user['id']),
    grant_id: await makeGrant(platform),
    interaction_id: 'none',
    code: String(sign_in_link['url']).split('/').at(-1) ?? '',
    session_id: String(session['id']),
    agent_id: String(agent['id']),
    provider_id,
    provider: provider_id,
    token_id: String(token['token_id']),
    auth_id: String(flow['auth_id']),
    connection_id: String(connection['id']),
    deletion_id: String(deletion['id']),
    run_id,
    trace_id: run_id,
    price_id: String(price['id']),
    thread_id: THREAD,
    dataset_id,
    example_id,
    rule_id: String(rule['id']),
    alert_id: String(alert['id']),
    comparative_experiment_id: String(comparison['id']),
    listener_id: String(listener['id']),
    integration_id: String(integration['id']),
    webhook_id: String(webhook['id']),
    feedback_id: String(feedback['id']),
    queue_id,
    identity_id,
    queue_run_id: entry,
    item_id: entry,
    index: '0',
    feedback_formula_id: String(formula['id']),
    model_provider_id: String(model_provider['id']),
    playground_experiment_id: String(played['id']),
    owner: '-',
    repo,
    commit: 'latest',
    tag_name: 'production',
    usage_limit_id: String(limit.json()['id']),
  };
}
