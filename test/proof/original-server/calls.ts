/** Every route of the original's server, called one after the other; what an answer holds, later calls name. */

export interface Call {
  readonly name: string;
  readonly ask: (known: KnownIds) => readonly [method: string, path: string, body?: unknown];
  /** What later calls need of the answer. */
  readonly keep?: (answer: never) => Partial<KnownIds>;
}

export interface KnownIds {
  readonly thread_id: string;
  readonly asking_id: string;
  readonly own_id: string;
  readonly assistant_id: string;
  readonly run_id: string;
  readonly checkpoint_id: string;
  readonly waiting_id: string;
}

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const run = (content: string, more: object = {}) => ({ assistant_id: 'gate', input: says(content), ...more });
const NOBODY = '00000000-0000-4000-8000-000000000000';
const keepThread = ({ thread_id }: { thread_id: string }) => ({ thread_id });
const events = { channels: ['values', 'lifecycle'], since: 0 };

export const calls: readonly Call[] = [
  { name: 'ok', ask: () => ['GET', '/ok'] },
  { name: 'info', ask: () => ['GET', '/info'] },

  {
    name: 'assistants: search',
    ask: () => ['POST', '/assistants/search', { graph_id: 'gate' }],
    keep: ([one]: { assistant_id: string }[]) => ({ own_id: one?.assistant_id ?? '' }),
  },
  { name: 'assistants: count', ask: () => ['POST', '/assistants/count', {}] },
  {
    name: 'assistants: create',
    ask: () => [
      'POST',
      '/assistants',
      { graph_id: 'gate', name: 'Mine', metadata: { a: 1 }, context: { b: 2 } },
    ],
    keep: ({ assistant_id }: { assistant_id: string }) => ({ assistant_id }),
  },
  {
    name: 'assistants: create again',
    ask: ({ assistant_id }) => ['POST', '/assistants', { graph_id: 'gate', assistant_id }],
  },
  {
    name: 'assistants: create again, doing nothing',
    ask: ({ assistant_id }) => [
      'POST',
      '/assistants',
      { graph_id: 'gate', assistant_id, if_exists: 'do_nothing' },
    ],
  },
  { name: 'assistants: read', ask: ({ assistant_id }) => ['GET', `/assistants/${assistant_id}`] },
  { name: 'assistants: read by graph', ask: () => ['GET', '/assistants/gate'] },
  { name: 'assistants: read nobody', ask: () => ['GET', `/assistants/${NOBODY}`] },
  {
    name: 'assistants: update',
    ask: ({ assistant_id }) => ['PATCH', `/assistants/${assistant_id}`, { metadata: { c: 3 } }],
  },
  {
    name: 'assistants: versions',
    ask: ({ assistant_id }) => ['POST', `/assistants/${assistant_id}/versions`, {}],
  },
  {
    name: 'assistants: latest',
    ask: ({ assistant_id }) => ['POST', `/assistants/${assistant_id}/latest`, { version: 1 }],
  },
  { name: 'assistants: graph', ask: () => ['GET', '/assistants/gate/graph'] },
  { name: 'assistants: graph, opened', ask: () => ['GET', '/assistants/gate/graph?xray=true'] },
  { name: 'assistants: schemas', ask: () => ['GET', '/assistants/gate/schemas'] },
  { name: 'assistants: subgraphs', ask: () => ['GET', '/assistants/gate/subgraphs'] },
  { name: 'assistants: delete', ask: ({ assistant_id }) => ['DELETE', `/assistants/${assistant_id}`] },
  { name: 'assistants: delete nobody', ask: () => ['DELETE', `/assistants/${NOBODY}`] },

  {
    name: 'threads: create',
    ask: () => ['POST', '/threads', { metadata: { kind: 'chat' } }],
    keep: keepThread,
  },
  {
    name: 'threads: create again',
    ask: ({ thread_id }) => ['POST', '/threads', { thread_id }],
  },
  {
    name: 'threads: create again, doing nothing',
    ask: ({ thread_id }) => ['POST', '/threads', { thread_id, if_exists: 'do_nothing' }],
  },
  { name: 'threads: read', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}`] },
  { name: 'threads: read nobody', ask: () => ['GET', `/threads/${NOBODY}`] },
  {
    name: 'threads: update',
    ask: ({ thread_id }) => ['PATCH', `/threads/${thread_id}`, { metadata: { more: 1 } }],
  },
  { name: 'threads: empty state', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/state`] },
  { name: 'threads: empty history', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/history`] },

  { name: 'runs: wait', ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/runs/wait`, run('hello')] },
  {
    name: 'runs: stream',
    ask: ({ thread_id }) => [
      'POST',
      `/threads/${thread_id}/runs/stream`,
      run('again', {
        stream_mode: ['values', 'updates', 'messages-tuple', 'custom', 'tasks', 'checkpoints'],
      }),
    ],
  },
  {
    name: 'runs: stream of events',
    ask: ({ thread_id }) => [
      'POST',
      `/threads/${thread_id}/runs/stream`,
      run('more', { stream_mode: ['debug'] }),
    ],
  },
  {
    name: 'runs: stream that fails',
    ask: () => ['POST', '/runs/stream', run('fail')],
  },
  {
    name: 'runs: wait for one that fails',
    ask: () => ['POST', '/runs/wait', run('fail')],
  },
  {
    name: 'runs: create',
    ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/runs`, run('third', { metadata: { a: 1 } })],
    keep: ({ run_id }: { run_id: string }) => ({ run_id }),
  },
  {
    name: 'runs: join',
    ask: ({ thread_id, run_id }) => ['GET', `/threads/${thread_id}/runs/${run_id}/join`],
  },
  { name: 'runs: read', ask: ({ thread_id, run_id }) => ['GET', `/threads/${thread_id}/runs/${run_id}`] },
  { name: 'runs: read nobody', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/runs/${NOBODY}`] },
  { name: 'runs: list', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/runs?limit=2`] },
  {
    name: 'runs: delete',
    ask: ({ thread_id, run_id }) => ['DELETE', `/threads/${thread_id}/runs/${run_id}`],
  },
  {
    name: 'runs: of an unknown assistant',
    ask: () => ['POST', '/runs', { ...run('x'), assistant_id: NOBODY }],
  },
  { name: 'runs: of an unknown thread', ask: () => ['POST', `/threads/${NOBODY}/runs`, run('x')] },
  { name: 'runs: without a thread', ask: () => ['POST', '/runs', run('x')] },
  { name: 'runs: wait without a thread', ask: () => ['POST', '/runs/wait', run('x')] },
  { name: 'runs: stream without a thread', ask: () => ['POST', '/runs/stream', run('x')] },
  { name: 'runs: batch', ask: () => ['POST', '/runs/batch', [run('x'), run('y')]] },
  {
    name: 'runs: of a body that is none',
    ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/runs`, { input: 1 }],
  },

  {
    name: 'threads: create to ask',
    ask: () => ['POST', '/threads', {}],
    keep: ({ thread_id }: { thread_id: string }) => ({ asking_id: thread_id }),
  },
  {
    name: 'runs: wait for a question',
    ask: ({ asking_id }) => ['POST', `/threads/${asking_id}/runs/wait`, run('ask')],
  },
  { name: 'threads: read, asking', ask: ({ asking_id }) => ['GET', `/threads/${asking_id}`] },
  { name: 'threads: state, asking', ask: ({ asking_id }) => ['GET', `/threads/${asking_id}/state`] },
  {
    name: 'runs: answer',
    ask: ({ asking_id }) => [
      'POST',
      `/threads/${asking_id}/runs/wait`,
      { assistant_id: 'gate', command: { resume: 'Ann' } },
    ],
  },
  {
    name: 'threads: search',
    ask: () => ['POST', '/threads/search', { metadata: { kind: 'chat' } }],
  },
  { name: 'threads: count', ask: () => ['POST', '/threads/count', { metadata: { kind: 'chat' } }] },
  {
    name: 'threads: state',
    ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/state`],
    keep: ({ checkpoint }: { checkpoint: { checkpoint_id: string } }) => ({
      checkpoint_id: checkpoint.checkpoint_id,
    }),
  },
  {
    name: 'threads: state at a checkpoint',
    ask: ({ thread_id, checkpoint_id }) => ['GET', `/threads/${thread_id}/state/${checkpoint_id}`],
  },
  {
    name: 'threads: state at a checkpoint, by post',
    ask: ({ thread_id, checkpoint_id }) => [
      'POST',
      `/threads/${thread_id}/state/checkpoint`,
      { checkpoint: { checkpoint_id, checkpoint_ns: '' } },
    ],
  },
  {
    name: 'threads: update state',
    ask: ({ thread_id }) => [
      'POST',
      `/threads/${thread_id}/state`,
      { values: says('by hand'), as_node: 'act' },
    ],
  },
  { name: 'threads: history', ask: ({ thread_id }) => ['GET', `/threads/${thread_id}/history?limit=2`] },
  {
    name: 'threads: history, by post',
    ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/history`, { limit: 2 }],
  },
  { name: 'threads: copy', ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/copy`] },

  {
    name: 'runs: create one that waits',
    ask: ({ thread_id }) => ['POST', `/threads/${thread_id}/runs`, run('wait for-ever')],
    keep: ({ run_id }: { run_id: string }) => ({ waiting_id: run_id }),
  },
  {
    name: 'runs: reject while one waits',
    ask: ({ thread_id }) => [
      'POST',
      `/threads/${thread_id}/runs`,
      run('x', { multitask_strategy: 'reject' }),
    ],
  },
  {
    name: 'runs: cancel',
    ask: ({ thread_id, waiting_id }) => ['POST', `/threads/${thread_id}/runs/${waiting_id}/cancel?wait=1`],
  },
  {
    name: 'runs: read, cancelled',
    ask: ({ thread_id, waiting_id }) => ['GET', `/threads/${thread_id}/runs/${waiting_id}`],
  },
  {
    name: 'runs: join, cancelled',
    ask: ({ thread_id, waiting_id }) => ['GET', `/threads/${thread_id}/runs/${waiting_id}/join`],
  },
  {
    name: 'runs: stream, cancelled',
    ask: ({ thread_id, waiting_id }) => ['GET', `/threads/${thread_id}/runs/${waiting_id}/stream`],
  },
  { name: 'runs: stream of a run by its id', ask: ({ waiting_id }) => ['GET', `/runs/${waiting_id}/stream`] },

  {
    name: 'commands: run.start',
    ask: ({ asking_id }) => [
      'POST',
      `/threads/${asking_id}/commands`,
      { id: 1, method: 'run.start', params: { assistant_id: 'gate', input: says('hi') } },
    ],
  },
  {
    name: 'commands: unknown',
    ask: ({ asking_id }) => [
      'POST',
      `/threads/${asking_id}/commands`,
      { id: 2, method: 'nothing', params: {} },
    ],
  },
  {
    name: 'commands: state.get',
    ask: ({ asking_id }) => [
      'POST',
      `/threads/${asking_id}/commands`,
      { id: 3, method: 'state.get', params: {} },
    ],
  },
  {
    name: 'events of a thread, without channels',
    ask: ({ asking_id }) => ['POST', `/threads/${asking_id}/stream/events`, { ...events, channels: 'none' }],
  },

  {
    name: 'crons: create',
    ask: () => ['POST', '/runs/crons', { ...run('x'), schedule: '0 0 1 1 *' }],
  },
  {
    name: 'crons: create on a thread',
    ask: ({ thread_id }) => [
      'POST',
      `/threads/${thread_id}/runs/crons`,
      { ...run('x'), schedule: '0 0 1 1 *' },
    ],
  },
  { name: 'crons: search', ask: () => ['POST', '/runs/crons/search', {}] },
  { name: 'crons: delete nobody', ask: () => ['DELETE', `/runs/crons/${NOBODY}`] },

  {
    name: 'store: put',
    ask: () => ['PUT', '/store/items', { namespace: ['notes', 'a'], key: 'one', value: { text: 'x' } }],
  },
  { name: 'store: get', ask: () => ['GET', '/store/items?namespace=notes.a&key=one'] },
  { name: 'store: get nothing', ask: () => ['GET', '/store/items?namespace=notes.a&key=two'] },
  { name: 'store: search', ask: () => ['POST', '/store/items/search', { namespace_prefix: ['notes'] }] },
  { name: 'store: namespaces', ask: () => ['POST', '/store/namespaces', { prefix: ['notes'] }] },
  { name: 'store: delete', ask: () => ['DELETE', '/store/items', { namespace: ['notes', 'a'], key: 'one' }] },
  {
    name: 'store: a namespace that is none',
    ask: () => ['PUT', '/store/items', { namespace: ['a.b'], key: 'one', value: {} }],
  },

  { name: 'threads: delete', ask: ({ thread_id }) => ['DELETE', `/threads/${thread_id}`] },
  { name: 'threads: delete nobody', ask: () => ['DELETE', `/threads/${NOBODY}`] },
];
