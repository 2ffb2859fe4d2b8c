import type { Call, Scenario } from '../calls/call.ts';
import { madeBy, says } from './says.ts';

const thread = '$thread.thread_id';
/** Modes of a run that has no thread. */
const modes = ['values', 'updates', 'messages', 'messages-tuple', 'custom', 'tasks', 'events'];
/** Those that tell of checkpoints have a thread. */
const ofThreads = ['checkpoints', 'tasks', 'debug'];

const byMode = (graph: string, input: object): Call[] => [
  ...modes.map((mode): Call => ({
    method: 'runs.stream',
    at: [null, graph],
    with: { input, stream_mode: mode },
  })),
  ...ofThreads.flatMap((mode): Call[] => [
    { method: 'threads.create', with: madeBy('modes'), keep: 'thread' },
    { method: 'runs.stream', at: [thread, graph], with: { input, stream_mode: mode } },
  ]),
];

export const streams: readonly Scenario[] = [
  { name: 'streams of the starter', project: 'open', calls: byMode('starter', says('hello')) },
  { name: 'streams of tokens', project: 'open', calls: byMode('streaming', says('one two')) },
  { name: 'streams of tools', project: 'open', calls: byMode('tools', says('add 2 3')) },
  {
    name: 'streams of the functional graph',
    project: 'open',
    calls: byMode('functional', { numbers: [1, 2] }),
  },
  {
    name: 'streams of subgraphs',
    project: 'open',
    calls: [
      ...byMode('subgraphs', { topics: ['one'], asks: false }),
      ...['values', 'updates', 'tasks', 'messages-tuple', 'custom'].map((mode): Call => ({
        method: 'runs.stream',
        at: [null, 'subgraphs'],
        with: { input: { topics: ['one'], asks: false }, stream_mode: [mode], stream_subgraphs: true },
      })),
      ...ofThreads.flatMap((mode): Call[] => [
        { method: 'threads.create', with: madeBy('modes'), keep: 'thread' },
        {
          method: 'runs.stream',
          at: [thread, 'subgraphs'],
          with: { input: { topics: ['one'], asks: false }, stream_mode: [mode], stream_subgraphs: true },
        },
      ]),
      {
        method: 'runs.stream',
        at: [null, 'starter'],
        with: { input: says('x'), stream_mode: 'checkpoints' },
      },
      {
        method: 'runs.stream',
        at: [null, 'subgraphs'],
        with: { input: { topics: ['one', 'two', 'three'], asks: false }, stream_mode: 'values' },
      },
    ],
  },
  {
    name: 'streams on a thread',
    project: 'open',
    calls: [
      { method: 'threads.create', with: madeBy('streams'), keep: 'thread' },
      {
        method: 'runs.stream',
        at: [thread, 'streaming'],
        with: { input: says('one two'), stream_mode: ['values', 'updates', 'messages-tuple', 'custom'] },
      },
      { method: 'runs.stream', at: [thread, 'streaming'], with: { input: says('again') } },
      {
        method: 'runs.stream',
        at: [thread, 'streaming'],
        with: { input: says('resumable'), stream_mode: 'updates', stream_resumable: true },
      },
      { method: 'runs.list', at: [thread], with: { limit: 1 }, keep: 'runs' },
      { method: 'runs.join_stream', at: [thread, '$runs.0.run_id'], with: { last_event_id: '-1' } },
      {
        method: 'runs.create',
        at: [thread, 'streaming'],
        with: { input: says('joined'), stream_mode: ['updates', 'custom'], stream_resumable: true },
        keep: 'run',
      },
      {
        method: 'runs.join_stream',
        at: [thread, '$run.run_id'],
        with: { last_event_id: '-1', stream_mode: ['updates', 'custom'] },
      },
      {
        method: 'runs.create',
        at: [thread, 'streaming'],
        with: { input: says('unjoined'), stream_mode: ['updates'] },
        keep: 'late',
      },
      { method: 'runs.join', at: [thread, '$late.run_id'] },
      {
        method: 'runs.stream',
        at: [thread, 'streaming'],
        with: { input: says('x'), interrupt_before: ['close'], stream_mode: ['values', 'updates'] },
      },
      { method: 'threads.get_state', at: [thread] },
      {
        method: 'runs.stream',
        at: [thread, 'streaming'],
        with: { input: null, stream_mode: ['values', 'updates'] },
      },
      {
        method: 'runs.stream',
        at: [thread, 'streaming'],
        with: { input: says('x'), interrupt_after: '*', stream_mode: ['updates'] },
      },
      { method: 'runs.stream', at: [thread, 'nothing'], with: { input: says('x') } },
      { method: 'threads.get_history', at: [thread], with: { limit: 3 } },
    ],
  },
];
