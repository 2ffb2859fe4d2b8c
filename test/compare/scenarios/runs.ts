import type { Scenario } from '../calls/call.ts';
import { madeBy, NOBODY, says } from './says.ts';

const thread = '$thread.thread_id';
const at = [thread, 'starter'] as const;
const slow = (seconds: number) => ({ input: says(`wait ${seconds}`) });

export const runs: readonly Scenario[] = [
  {
    name: 'runs on a thread',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('runs'), keep: 'thread' },
      { method: 'runs.wait', at, with: { input: says('hello') } },
      { method: 'runs.wait', at, with: { input: says('loud'), context: { tone: 'loud' } } },
      { method: 'runs.create', at, with: { input: says('later'), metadata: { number: 1 } }, keep: 'run' },
      { method: 'runs.join', at: [thread, '$run.run_id'] },
      { method: 'runs.get', at: [thread, '$run.run_id'] },
      { method: 'runs.list', at: [thread], with: { limit: 2 } },
      { method: 'runs.list', at: [thread], with: { status: 'success' } },
      { method: 'runs.list', at: [thread], with: { status: 'error' } },
      { method: 'runs.list', at: [thread], with: { limit: 2, offset: 1, select: ['run_id', 'status'] } },
      { method: 'runs.list', at: [NOBODY] },
      { method: 'runs.get', at: [thread, NOBODY] },
      { method: 'runs.join', at: [thread, NOBODY] },
      { method: 'runs.delete', at: [thread, NOBODY] },
      { method: 'runs.create', at: [NOBODY, 'starter'], with: { input: says('x') } },
      {
        method: 'runs.create',
        at: ['11111111-0000-4000-8000-000000000000', 'starter'],
        with: { input: says('x'), if_not_exists: 'reject' },
      },
      { method: 'runs.wait', at: [thread, 'nothing'], with: { input: says('x') } },
      { method: 'runs.wait', at: [thread, NOBODY], with: { input: says('x') } },
      { method: 'runs.wait', at, with: { input: { unknown: 1 } } },
      { method: 'runs.wait', at, with: { input: {} } },
      { method: 'runs.wait', at, with: { input: says('limit'), config: { recursion_limit: 1 } } },
      { method: 'runs.wait', at, with: { input: says('exit'), durability: 'exit' } },
      { method: 'runs.wait', at, with: { input: says('sync'), durability: 'sync' } },
      { method: 'threads.get', at: [thread] },
    ],
  },
  {
    name: 'runs with a configuration',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('configured'), keep: 'thread' },
      {
        method: 'runs.wait',
        at,
        with: {
          input: says('configured'),
          config: { configurable: { tone: 'loud' }, tags: ['one'], metadata: { of: 'config' } },
        },
      },
      { method: 'threads.get', at: [thread] },
      { method: 'runs.wait', at, with: { input: says('later') } },
      { method: 'threads.get', at: [thread] },
      { method: 'threads.get_state', at: [thread] },
      {
        method: 'runs.wait',
        at: [null, 'starter'],
        with: { input: says('x'), context: { tone: 'loud', unknown: 1 } },
      },
      {
        method: 'runs.wait',
        at: [null, 'starter'],
        with: { input: says('x'), context: { tone: 'loud' }, config: { configurable: { tone: 'plain' } } },
      },
    ],
  },
  {
    name: 'runs without a thread',
    project: 'open',
    calls: [
      { method: 'runs.wait', at: [null, 'starter'], with: { input: says('hello') } },
      { method: 'runs.wait', at: [null, 'starter'], with: { input: says('kept'), on_completion: 'keep' } },
      {
        method: 'runs.create',
        at: [null, 'starter'],
        with: { input: says('later'), metadata: { a: 1 }, on_completion: 'keep' },
        keep: 'run',
      },
      { method: 'runs.join', at: ['$run.thread_id', '$run.run_id'] },
      { method: 'runs.get', at: ['$run.thread_id', '$run.run_id'] },
      { method: 'threads.get', at: ['$run.thread_id'] },
      {
        method: 'runs.create_batch',
        at: [
          [
            { assistant_id: 'starter', input: says('one') },
            { assistant_id: 'notes', input: { owner: 'x', note: 'batch' } },
          ],
        ],
      },
      { method: 'runs.wait', at: [null, 'streaming'], with: { ...slow(0.1) } },
      {
        method: 'runs.wait',
        at: [null, 'starter'],
        with: {
          input: says('x'),
          metadata: { a: [1] },
          config: { tags: ['t'], configurable: { tone: 'loud' } },
        },
      },
      {
        method: 'runs.wait',
        at: [null, 'starter'],
        with: { input: says('x'), interrupt_before: ['answer'] },
      },
      {
        method: 'runs.wait',
        at: [null, 'starter'],
        with: { input: says('x'), command: { goto: 'answer', update: says('commanded') } },
      },
      { method: 'http', with: { method: 'POST', path: '/runs/wait', body: '{' } },
      { method: 'http', with: { method: 'POST', path: '/runs/wait', body: {} } },
      {
        method: 'http',
        with: {
          method: 'POST',
          path: '/runs/wait',
          body: { assistant_id: 'starter', input: says('x'), stream_mode: 'nothing' },
        },
      },
      {
        method: 'http',
        with: {
          method: 'POST',
          path: '/runs/wait',
          body: { assistant_id: 'starter', input: says('x'), multitask_strategy: 'nothing' },
        },
      },
      { method: 'http', with: { path: '/ok' } },
      { method: 'http', with: { path: '/nothing' } },
    ],
  },
  {
    name: 'runs beside each other',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('beside'), keep: 'thread' },
      { method: 'runs.create', at: [thread, 'streaming'], with: slow(20), keep: 'first' },
      { method: 'runs.get', at: [thread, '$first.run_id'], until: '"running"' },
      { method: 'threads.get', at: [thread] },
      {
        method: 'runs.create',
        at: [thread, 'streaming'],
        with: { ...slow(0), multitask_strategy: 'reject' },
      },
      {
        method: 'runs.create',
        at: [thread, 'streaming'],
        with: { ...slow(0), multitask_strategy: 'enqueue' },
        keep: 'second',
      },
      { method: 'runs.get', at: [thread, '$second.run_id'] },
      { method: 'runs.cancel', at: [thread, '$first.run_id'], with: { wait: true } },
      { method: 'runs.get', at: [thread, '$first.run_id'] },
      { method: 'runs.join', at: [thread, '$second.run_id'] },
      { method: 'runs.create', at: [thread, 'streaming'], with: slow(20), keep: 'third' },
      { method: 'runs.get', at: [thread, '$third.run_id'], until: '"running"' },
      {
        method: 'runs.wait',
        at: [thread, 'streaming'],
        with: { input: says('instead'), multitask_strategy: 'interrupt' },
      },
      { method: 'runs.get', at: [thread, '$third.run_id'] },
      { method: 'runs.create', at: [thread, 'streaming'], with: slow(20), keep: 'fourth' },
      { method: 'runs.get', at: [thread, '$fourth.run_id'], until: '"running"' },
      {
        method: 'runs.wait',
        at: [thread, 'streaming'],
        with: { input: says('rolled back'), multitask_strategy: 'rollback' },
      },
      { method: 'runs.get', at: [thread, '$fourth.run_id'] },
      { method: 'runs.cancel', at: [thread, '$second.run_id'], with: { wait: true } },
      { method: 'runs.cancel', at: [thread, NOBODY] },
      {
        method: 'runs.create',
        at: [thread, 'streaming'],
        with: { input: says('delayed'), after_seconds: 60 },
        keep: 'delayed',
      },
      { method: 'runs.cancel', at: [thread, '$delayed.run_id'], with: { wait: true, action: 'rollback' } },
      { method: 'runs.get', at: [thread, '$delayed.run_id'] },
      { method: 'runs.cancel_many', with: { thread_id: thread, run_ids: ['$second.run_id'] } },
      { method: 'threads.get_state', at: [thread] },
      { method: 'threads.get', at: [thread] },
    ],
  },
  {
    name: 'runs that are deleted',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('deleted'), keep: 'thread' },
      { method: 'runs.create', at, with: { input: says('hello') }, keep: 'ended' },
      { method: 'runs.join', at: [thread, '$ended.run_id'] },
      { method: 'runs.delete', at: [thread, '$ended.run_id'] },
      { method: 'runs.get', at: [thread, '$ended.run_id'] },
      { method: 'threads.get_state', at: [thread] },
      { method: 'runs.create', at: [thread, 'streaming'], with: slow(20), keep: 'run' },
      { method: 'runs.get', at: [thread, '$run.run_id'], until: '"running"' },
      { method: 'runs.delete', at: [thread, '$run.run_id'] },
      { method: 'threads.delete', at: [thread] },
      { method: 'runs.get', at: [thread, '$run.run_id'] },
    ],
  },
];
