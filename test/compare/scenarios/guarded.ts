import type { Call, Scenario } from '../calls/call.ts';
import { NOBODY, says } from './says.ts';

const as = (name: string) => ({ authorization: `Bearer ${name}-token` });
const thread = '$thread.thread_id';
const http = (path: string, more: object = {}): Call => ({ method: 'http', with: { path, ...more } });
const bob = (path: string, more: object = {}): Call => http(path, { headers: as('bob'), ...more });

export const guarded: readonly Scenario[] = [
  {
    name: 'people and their threads',
    project: 'guarded',
    headers: as('ann'),
    calls: [
      { method: 'threads.create', with: { metadata: { client: '$client' } }, keep: 'thread' },
      { method: 'threads.get', at: [thread] },
      { method: 'runs.wait', at: [thread, 'agent'], with: { input: says('hello') } },
      { method: 'threads.get_state', at: [thread] },
      {
        method: 'threads.search',
        with: { metadata: { client: '$client' }, select: ['thread_id', 'metadata'] },
      },
      bob('/threads/{thread.thread_id}'),
      bob('/threads/{thread.thread_id}/state'),
      bob('/threads/{thread.thread_id}/history'),
      bob('/threads/{thread.thread_id}/runs'),
      bob('/threads/search', { method: 'POST', body: {} }),
      bob('/threads/count', { method: 'POST', body: {} }),
      bob('/threads/{thread.thread_id}', { method: 'PATCH', body: { metadata: { mine: true } } }),
      bob('/threads/{thread.thread_id}', { method: 'DELETE' }),
      bob('/threads/{thread.thread_id}/copy', { method: 'POST' }),
      bob('/threads/{thread.thread_id}/runs/wait', {
        method: 'POST',
        body: { assistant_id: 'agent', input: says('x') },
      }),
      bob('/threads/{thread.thread_id}/state', {
        method: 'POST',
        body: { values: says('x'), as_node: 'answer' },
      }),
      bob('/threads', { method: 'POST', body: { thread_id: '$thread.thread_id', if_exists: 'do_nothing' } }),
      { method: 'runs.wait', at: [null, 'caller'], with: { input: {} } },
      { method: 'runs.stream', at: [null, 'caller'], with: { input: {}, stream_mode: 'values' } },
      {
        method: 'runs.wait',
        at: [null, 'caller'],
        with: {
          input: {},
          config: { configurable: { langgraph_auth_user: { identity: 'bob', team: 'x' } } },
        },
      },
      { method: 'runs.create', at: [thread, 'agent'], with: { input: says('x') }, keep: 'run' },
      { method: 'runs.join', at: [thread, '$run.run_id'] },
      bob('/threads/{thread.thread_id}/runs/{run.run_id}'),
      bob('/threads/{thread.thread_id}/runs/{run.run_id}/cancel', { method: 'POST' }),
      { method: 'threads.delete', at: [thread] },
    ],
  },
  {
    name: 'people and their things',
    project: 'guarded',
    headers: as('ann'),
    calls: [
      {
        method: 'assistants.create',
        at: ['agent'],
        with: { name: 'Of Ann', metadata: { client: '$client' } },
        keep: 'one',
      },
      bob('/assistants', { method: 'POST', body: { graph_id: 'agent' } }),
      bob('/assistants/{one.assistant_id}', { method: 'PATCH', body: { name: 'Of Bob' } }),
      bob('/assistants/{one.assistant_id}'),
      bob('/assistants/{one.assistant_id}', { method: 'DELETE' }),
      bob('/assistants/agent/graph'),
      { method: 'assistants.delete', at: ['$one.assistant_id'] },
      { method: 'store.put_item', at: [['$client'], 'one', { text: 'x' }] },
      { method: 'store.get_item', at: [['$client'], 'one'] },
      { method: 'store.search_items', at: [['$client']] },
      bob('/store/items/search', { method: 'POST', body: {} }),
      { method: 'store.list_namespaces', with: { prefix: ['$client'] } },
      { method: 'store.delete_item', at: [['$client'], 'one'] },
      {
        method: 'crons.create',
        at: ['agent'],
        with: { schedule: '0 0 1 1 *', input: says('x'), metadata: { client: '$client' } },
        keep: 'cron',
      },
      { method: 'crons.search', with: { metadata: { client: '$client' } } },
      bob('/runs/crons/search', { method: 'POST', body: {} }),
      { method: 'crons.delete', at: ['$cron.cron_id'] },
    ],
  },
  {
    name: 'a reader, and nobody',
    project: 'guarded',
    headers: as('reader'),
    calls: [
      { method: 'threads.create' },
      { method: 'threads.search' },
      { method: 'assistants.search', with: { graph_id: 'agent', metadata: { created_by: 'system' } } },
      { method: 'runs.wait', at: [null, 'agent'], with: { input: says('x') } },
      { method: 'assistants.create', at: ['agent'] },
      http('/threads/search', { method: 'POST', body: {}, headers: { authorization: 'Bearer wrong' } }),
      http('/threads/search', { method: 'POST', body: {}, headers: { authorization: '' } }),
      http(`/threads/${NOBODY}`, { headers: { authorization: '' } }),
      http('/ok', { headers: { authorization: '' } }),
      http('/info', { method: 'OPTIONS', headers: { authorization: '' } }),
    ],
  },
  {
    name: 'the app of the project',
    project: 'guarded',
    calls: [
      http('/hello'),
      http('/hello?name=Ann%20B'),
      http('/hello', { method: 'POST', body: {} }),
      http('/echo', { method: 'POST', body: { a: 1 } }),
      http('/echo', { method: 'PUT', body: 'text', headers: { 'content-type': 'text/plain' } }),
      http('/words'),
      http('/fail'),
      http('/items/one'),
      http('/items/one/two%20three?x=1'),
      http('/items/one', { method: 'DELETE' }),
      http('/items'),
      http('/nothing'),
      http('/ok'),
    ],
  },
];
