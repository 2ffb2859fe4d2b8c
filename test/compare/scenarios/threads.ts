import type { Scenario } from '../calls/call.ts';
import { madeBy, NOBODY, says } from './says.ts';

const mine = madeBy('threads').metadata;
const at = ['$thread.thread_id'] as const;

export const threads: readonly Scenario[] = [
  {
    name: 'threads',
    project: 'open',
    calls: [
      { method: 'threads.create', with: { metadata: { ...mine, rank: 1 } }, keep: 'thread' },
      { method: 'threads.get', at },
      { method: 'threads.create', with: { thread_id: '$thread.thread_id' } },
      { method: 'threads.create', with: { thread_id: '$thread.thread_id', if_exists: 'do_nothing' } },
      {
        method: 'threads.create',
        with: { metadata: { ...mine, rank: 2 }, graph_id: 'starter' },
        keep: 'other',
      },
      { method: 'threads.get', at: [NOBODY] },
      { method: 'threads.get', at: ['no-uuid'] },
      { method: 'threads.update', at, with: { metadata: { more: { deep: [1, null, 'x'] } } } },
      { method: 'threads.update', at: [NOBODY], with: { metadata: {} } },
      { method: 'threads.get_state', at },
      { method: 'threads.get_history', at },
      { method: 'threads.search', with: { metadata: mine, sort_by: 'created_at', sort_order: 'asc' } },
      {
        method: 'threads.search',
        with: { metadata: mine, limit: 1, offset: 1, sort_by: 'created_at', sort_order: 'asc' },
      },
      { method: 'threads.search', with: { metadata: { ...mine, rank: 2 } } },
      {
        method: 'threads.search',
        with: { metadata: mine, status: 'idle', select: ['thread_id', 'status'], sort_by: 'created_at' },
      },
      { method: 'threads.search', with: { metadata: mine, status: 'busy' } },
      { method: 'threads.search', with: { ids: ['$thread.thread_id'] } },
      { method: 'threads.search', with: { limit: 0 } },
      { method: 'threads.search', with: { status: 'nothing' } },
      { method: 'threads.count', with: { metadata: mine } },
      { method: 'threads.count', with: { metadata: mine, status: 'idle' } },
      { method: 'threads.copy', at: [NOBODY] },
      { method: 'threads.delete', at: ['$other.thread_id'] },
      { method: 'threads.get', at: ['$other.thread_id'] },
      { method: 'threads.delete', at: ['$other.thread_id'] },
    ],
  },
  {
    name: 'states',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('states'), keep: 'thread' },
      {
        method: 'runs.wait',
        at: ['$thread.thread_id', 'starter'],
        with: { input: says('hello'), metadata: { turn: 1 } },
      },
      { method: 'threads.get', at },
      { method: 'threads.get_state', at, keep: 'state' },
      {
        method: 'threads.get_state',
        at: ['$thread.thread_id'],
        with: { checkpoint: { checkpoint_id: '$state.checkpoint.checkpoint_id', checkpoint_ns: '' } },
      },
      {
        method: 'http',
        with: { path: '/threads/{thread.thread_id}/state/{state.checkpoint.checkpoint_id}' },
      },
      { method: 'http', with: { path: `/threads/{thread.thread_id}/state/${NOBODY}` } },
      { method: 'threads.get_history', at, keep: 'history' },
      { method: 'threads.get_history', at, with: { limit: 1 } },
      {
        method: 'threads.get_history',
        at,
        with: { limit: 5, before: { configurable: { checkpoint_id: '$state.checkpoint.checkpoint_id' } } },
      },
      { method: 'threads.get_history', at, with: { metadata: { source: 'loop', step: 1 } } },
      {
        method: 'threads.update_state',
        at: ['$thread.thread_id', says('by hand')],
        with: { as_node: 'answer' },
      },
      { method: 'threads.get_state', at },
      {
        method: 'threads.update_state',
        at: ['$thread.thread_id', says('as nobody')],
        with: { as_node: 'nothing' },
      },
      {
        method: 'threads.update_state',
        at: ['$thread.thread_id', { unknown: 1 }],
        with: { as_node: 'answer' },
      },
      {
        method: 'threads.update_state',
        at: ['$thread.thread_id', says('fork')],
        with: { as_node: 'answer', checkpoint_id: '$state.checkpoint.checkpoint_id' },
      },
      { method: 'threads.get_state', at },
      { method: 'threads.update_state', at: ['$thread.thread_id', null], with: { as_node: '__end__' } },
      {
        method: 'threads.update_state',
        at: ['$thread.thread_id', says('begin again')],
        with: { as_node: '__start__' },
      },
      { method: 'threads.get_state', at },
      { method: 'threads.get', at },
      { method: 'runs.wait', at: ['$thread.thread_id', 'starter'], with: { input: null } },
      {
        method: 'runs.wait',
        at: ['$thread.thread_id', 'starter'],
        with: { input: says('from the past'), checkpoint_id: '$state.checkpoint.checkpoint_id' },
      },
      {
        method: 'runs.wait',
        at: ['$thread.thread_id', 'starter'],
        with: {
          input: null,
          checkpoint: {
            checkpoint_id: '$history.1.checkpoint.checkpoint_id',
            checkpoint_ns: '',
            thread_id: '$thread.thread_id',
          },
        },
      },
      { method: 'threads.get_history', at, with: { limit: 50 } },
      { method: 'threads.copy', at, keep: 'copied' },
      { method: 'threads.get_state', at: ['$copied.thread_id'] },
      { method: 'threads.get_history', at: ['$copied.thread_id'], with: { limit: 3 } },
      { method: 'threads.update_state', at: [NOBODY, says('x')] },
      { method: 'threads.get_state', at: [NOBODY] },
      { method: 'threads.get_history', at: [NOBODY] },
      {
        method: 'threads.search',
        with: {
          ...madeBy('states'),
          values: {},
          select: ['thread_id', 'values', 'status', 'metadata'],
          sort_by: 'created_at',
        },
      },
    ],
  },
  {
    name: 'threads with supersteps',
    project: 'open',
    calls: [
      {
        method: 'threads.create',
        with: {
          ...madeBy('supersteps'),
          graph_id: 'starter',
          supersteps: [
            { updates: [{ values: says('first'), as_node: '__input__' }] },
            { updates: [{ values: { messages: [{ role: 'ai', content: 'second' }] }, as_node: 'answer' }] },
          ],
        },
        keep: 'thread',
      },
      { method: 'threads.get_state', at },
      { method: 'threads.get_history', at },
      { method: 'runs.wait', at: ['$thread.thread_id', 'starter'], with: { input: says('third') } },
    ],
  },
];
