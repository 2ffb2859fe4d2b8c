import type { Scenario } from '../calls/call.ts';
import { madeBy, says } from './says.ts';

const thread = '$thread.thread_id';
const errors = (input: object) => ({ method: 'runs.wait', at: [null, 'errors'], with: { input } }) as const;

/** What each graph does, and what its thread shows of it. */
export const graphs: readonly Scenario[] = [
  {
    name: 'tools',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('tools'), keep: 'thread' },
      { method: 'runs.wait', at: [thread, 'tools'], with: { input: says('add 2 3') } },
      { method: 'runs.wait', at: [thread, 'tools'], with: { input: says('fail too late') } },
      {
        method: 'runs.wait',
        at: [thread, 'tools'],
        with: { input: says('add 1 1'), interrupt_before: ['tools'] },
      },
      { method: 'threads.get_state', at: [thread] },
      { method: 'runs.wait', at: [thread, 'tools'], with: { input: null } },
      { method: 'threads.get_history', at: [thread], with: { limit: 4 } },
    ],
  },
  {
    name: 'functional',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('functional'), keep: 'thread' },
      { method: 'runs.wait', at: [thread, 'functional'], with: { input: { numbers: [1, 2] } } },
      { method: 'runs.wait', at: [thread, 'functional'], with: { input: { numbers: [3] } } },
      { method: 'threads.get_state', at: [thread] },
      { method: 'runs.wait', at: [thread, 'functional'], with: { input: { numbers: [4], asks: true } } },
      { method: 'threads.get', at: [thread] },
      { method: 'threads.get_state', at: [thread] },
      { method: 'runs.wait', at: [thread, 'functional'], with: { command: { resume: 5 } } },
      { method: 'threads.get_history', at: [thread] },
      { method: 'runs.wait', at: [thread, 'functional'], with: { input: { numbers: 'x' } } },
    ],
  },
  {
    name: 'interrupts',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('interrupts'), keep: 'thread' },
      { method: 'runs.wait', at: [thread, 'interrupts'], with: { input: { request: 'delete' } } },
      { method: 'threads.get', at: [thread] },
      { method: 'threads.get_state', at: [thread] },
      { method: 'threads.search', with: { ...madeBy('interrupts'), status: 'interrupted' } },
      { method: 'runs.wait', at: [thread, 'interrupts'], with: { command: { resume: 'yes' } } },
      { method: 'threads.get_state', at: [thread] },
      {
        method: 'runs.stream',
        at: [thread, 'interrupts'],
        with: { input: { request: 'send' }, stream_mode: ['updates', 'values'] },
      },
      {
        method: 'runs.stream',
        at: [thread, 'interrupts'],
        with: { command: { resume: 'no' }, stream_mode: ['updates', 'values'] },
      },
      {
        method: 'runs.wait',
        at: [thread, 'interrupts'],
        with: { input: { request: 'both' } },
        unordered: true,
      },
      { method: 'threads.get', at: [thread], keep: 'asking' },
      { method: 'threads.get_state', at: [thread], keep: 'state' },
      { method: 'runs.wait', at: [thread, 'interrupts'], with: { command: { resume: 'yes' } } },
      { method: 'threads.update_state', at: [thread, { steps: ['by hand'] }], with: { as_node: 'approve' } },
      { method: 'threads.get_state', at: [thread] },
      {
        method: 'runs.wait',
        at: [thread, 'interrupts'],
        with: { command: { goto: 'stop', update: { steps: ['commanded'] } } },
      },
      { method: 'runs.wait', at: [thread, 'interrupts'], with: { command: { resume: 'nothing asked' } } },
      { method: 'threads.get_history', at: [thread], with: { limit: 30 } },
    ],
  },
  {
    name: 'subgraphs',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('subgraphs'), keep: 'thread' },
      {
        method: 'runs.wait',
        at: [thread, 'subgraphs'],
        with: { input: { topics: ['one', 'two'], asks: true } },
      },
      { method: 'threads.get_state', at: [thread] },
      { method: 'threads.get_state', at: [thread], with: { subgraphs: true } },
      { method: 'threads.get', at: [thread] },
      {
        method: 'runs.stream',
        at: [thread, 'subgraphs'],
        with: { command: { resume: 'Ann' }, stream_mode: ['updates'], stream_subgraphs: true },
      },
      { method: 'threads.get_state', at: [thread], with: { subgraphs: true } },
      { method: 'threads.get_history', at: [thread], with: { limit: 20 } },
    ],
  },
  {
    name: 'notes of a graph',
    project: 'open',
    calls: [
      { method: 'runs.wait', at: [null, 'notes'], with: { input: { owner: '$client', note: 'milk' } } },
      { method: 'runs.wait', at: [null, 'notes'], with: { input: { owner: '$client', note: 'a' } } },
      { method: 'runs.wait', at: [null, 'notes'], with: { input: { owner: '$client', note: 'bread' } } },
      { method: 'store.search_items', at: [['notes', '$client']], unordered: true },
      { method: 'store.get_item', at: [['notes', '$client'], 'milk'] },
    ],
  },
  {
    name: 'errors',
    project: 'open',
    calls: [
      errors({}),
      errors({ way: 'raise' }),
      errors({ way: 'key' }),
      errors({ way: 'validation' }),
      errors({ way: 'loop' }),
      errors({ way: 'none' }),
      errors({ key: 'waits' }),
      { method: 'threads.create', with: madeBy('errors'), keep: 'thread' },
      { method: 'runs.wait', at: [thread, 'errors'], with: { input: { way: 'raise' } } },
      { method: 'threads.get', at: [thread] },
      { method: 'threads.get_state', at: [thread] },
      { method: 'runs.list', at: [thread], keep: 'runs' },
      { method: 'runs.join', at: [thread, '$runs.0.run_id'] },
      {
        method: 'runs.stream',
        at: [thread, 'errors'],
        with: { input: { way: 'raise' }, stream_mode: ['values', 'updates'] },
      },
      {
        method: 'runs.stream',
        at: [thread, 'errors'],
        with: { input: { way: 'loop' }, config: { recursion_limit: 4 }, stream_mode: 'updates' },
      },
      { method: 'runs.wait', at: [thread, 'errors'], with: { input: { way: 'fine' } } },
      { method: 'threads.search', with: { ...madeBy('errors'), status: 'error' } },
      { method: 'threads.get', at: [thread] },
    ],
  },
];
