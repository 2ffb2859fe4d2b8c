import { randomUUID } from 'node:crypto';
import { api } from './console.ts';
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
import { allPayloads, shortOf } from './payloads.ts';
import { PlayedListener } from './played-listener.ts';

/** Deployments and what agents keep, whose every text is an attack. */

export async function makeTalk(): Promise<HostilePart> {
  const agent = '/agents/support-agent';
  const { thread_id } = await make<{ thread_id: string }>(`${agent}/threads`, {
    metadata: { title: hostileName(300), graph_id: 'agent', ...free },
  });
  await make(`${agent}/threads/${thread_id}/state`, {
    values: { messages: messages.map((one) => ({ ...one, id: randomUUID() })) },
  });
  const { assistant_id } = await make<{ assistant_id: string }>(`${agent}/assistants`, {
    graph_id: 'agent',
    name: hostileName(200),
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
  const item = { namespace, key: hostileName(200) };
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
      shows('/talk', 'support-agent'),
      shows('/talk/support-agent/graph', 'support-agent'),
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

export async function makeDeployment(): Promise<HostilePart> {
  const listener = await PlayedListener.open();
  const id = await listener.deploy(WORD, [{ name: 'SECRET', value: allPayloads }]);
  await api(`/v2/deployments/${id}`, { method: 'PATCH', body: { display_name: hostileName(200) } });
  const reason = { code: 'exited', message: long, hint: long, log_tail: [long] };
  const revision_id = await listener.report(id, { phase: 'health', outcome: 'failed', reason });
  const lines = [{ level: 'ERROR', message: long }];
  await listener.write({ deployment_id: id, revision_id, kind: 'server' }, lines);
  return {
    views: [
      shows('/deployments'),
      shows('/deployments/new?from=git', 'New deployment'),
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
