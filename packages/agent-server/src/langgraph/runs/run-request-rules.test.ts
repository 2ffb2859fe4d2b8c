import { ThreadRunCreate } from '@roadstead/contracts/agent-server';
import type { Scope } from '@roadstead/contracts';
import type { Problem } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../runs/run.ts';
import { presentRun } from './run-presentation-rules.ts';
import { newRunOf, type RunSetting, type EventDelivery } from './run-request-rules.ts';

const setting: RunSetting = {
  run_id: '0199d3a0-0000-7000-8000-000000000001',
  thread: { thread_id: '0199d3a0-0000-7000-8000-000000000002' },
  thread_metadata: { from: 'thread', thread: true },
  assistant: {
    assistant_id: '0199d3a0-0000-7000-8000-000000000003',
    graph_id: 'agent',
    config: { tags: ['assistant'], configurable: { from: 'assistant', assistant: true } },
    context: { place: 'harbour' },
    metadata: { from: 'assistant', assistant: true },
  },
  caller: {
    workspace_id: 'w',
    principal: 'workspace:w',
    user: null,
    scopes: ['agents:invoke'],
    subject: null,
  },
  headers: { 'x-user': 'Ann' },
  traceparent: undefined,
};

const made = (body: object, { wanted, ...changed }: Partial<RunSetting> & { wanted?: EventDelivery } = {}) =>
  newRunOf(ThreadRunCreate.parse({ assistant_id: 'agent', ...body }), {
    setting: { ...setting, ...changed },
    wanted: wanted ?? 'events',
  });

describe('a run as the request wants it', () => {
  test('when assistant, thread and request have settings, then the run has them and the headers', () => {
    const run = made({
      input: { a: 1 },
      config: { configurable: { from: 'request' }, metadata: { from: 'config', config: true } },
      metadata: { from: 'request' },
    });
    expect(run.kwargs.config).toEqual({
      tags: ['assistant'],
      configurable: {
        from: 'request',
        assistant: true,
        place: 'harbour',
        'x-user': 'Ann',
      },
    });
    expect(run.metadata).toEqual({ from: 'request', config: true, thread: true, assistant: true });
    expect(run.kwargs.context).toEqual({
      from: 'request',
      assistant: true,
      place: 'harbour',
    });
  });

  test.each(['thread_id', 'graph_id', 'checkpoint_ns', '__pregel_resuming', 'langgraph_auth_user'])(
    'when a request says %s, then it is ignored, since the server says that',
    (name) => {
      const { config } = made({ config: { configurable: { [name]: 'forged', mine: 1 } } }).kwargs;
      expect(config?.configurable).toMatchObject({ mine: 1 });
      expect(config?.configurable).not.toHaveProperty(name);
    },
  );

  test('when a thread is busy, then a run waits for the one before it, unless it says otherwise', () => {
    expect(made({}).multitask_strategy).toBe('enqueue');
    expect(made({ multitask_strategy: 'reject' }).multitask_strategy).toBe('reject');
  });

  test('when a run has no input, then it goes on from the checkpoint', () => {
    expect(made({}).kwargs).toMatchObject({ input: null });
    expect(made({ input: null, command: null }).kwargs).toMatchObject({ input: null });
  });

  test('when a request has a command, then it replaces the input, unless it says nothing', () => {
    const { kwargs } = made({ input: { a: 1 }, command: { resume: 'yes', update: null } });
    expect(kwargs.command).toEqual({ resume: 'yes' });
    expect(kwargs).not.toHaveProperty('input');
    expect(made({ input: { a: 1 }, command: {} }).kwargs).toMatchObject({ input: { a: 1 } });
  });

  test.each([
    [{}, ['values']],
    [{ stream_mode: 'updates' }, ['updates']],
    [{ stream_mode: [] }, ['values']],
    [{ stream_mode: ['updates', 'values', 'updates'] }, ['updates', 'values']],
  ])('when a request has %j, then it streams %j', (body, modes) => {
    expect(made(body).kwargs.stream_mode).toEqual(modes);
  });

  test('when only the end is waited for, then nothing is streamed', () => {
    const run = made({ stream_mode: 'values' }, { wanted: 'end' });
    expect([run.kwargs.stream_mode, run.values, run.chunks, run.plain]).toEqual([[], true, false, false]);
  });

  test.each([
    [{ checkpoint_id: 'c' }, { checkpoint_id: 'c' }],
    [
      { checkpoint: { checkpoint_id: 'd', checkpoint_ns: '', thread_id: 't' }, checkpoint_id: 'c' },
      { checkpoint_id: 'd', checkpoint_ns: '' },
    ],
    [{ config: { configurable: { checkpoint_id: 'e' } } }, { checkpoint_id: 'e' }],
    [{ checkpoint: {} }, undefined],
    [{ checkpoint: { checkpoint_id: null } }, undefined],
  ])('when a request has %j, then it begins at %j', (body, checkpoint) => {
    expect(made(body).kwargs.checkpoint).toEqual(checkpoint);
  });

  test.each([
    [{}, undefined],
    [{ durability: 'sync' }, 'sync'],
    [{ checkpoint_during: true }, 'async'],
    [{ checkpoint_during: false }, 'exit'],
    [{ checkpoint_during: false, durability: 'async' }, 'async'],
  ])('when a request has %j, then it is as durable as %j', (body, durability) => {
    expect(made(body).kwargs.durability).toBe(durability);
  });

  test.each([
    [{}, undefined],
    [{ after_seconds: 0 }, undefined],
    [{ after_seconds: 1.5 }, 1500],
  ])('when a request has %j, then it begins after %j ms', (body, after_ms) => {
    expect(made(body).after_ms).toBe(after_ms);
  });

  test('when a run’s thread is temporary, then the run is, too', () => {
    const create = { metadata: {}, temporary: true };
    expect(made({}, { thread: { thread_id: 't', create } }).kwargs.temporary).toBe(true);
    expect(made({}).kwargs).not.toHaveProperty('temporary');
  });
});

test('when configurable and context come together, then the field is named and refused', () => {
  expect(() => made({ config: { configurable: { a: 1 } }, context: { b: 1 } })).toThrow(
    expect.objectContaining({
      kind: 'malformed',
      issues: [expect.objectContaining({ loc: ['body', 'context'] })],
    }) as Problem,
  );
});

test.each([
  [{ assistant_id: '' }, 'assistant_id'],
  [{ after_seconds: 2_592_001 }, 'after_seconds'],
  [{ after_seconds: -1 }, 'after_seconds'],
  [{ webhook: `https://${'a'.repeat(65_536)}` }, 'webhook'],
  [{ stream_mode: 'everything' }, 'stream_mode'],
  [{ multitask_strategy: 'queue' }, 'multitask_strategy'],
  [{ on_disconnect: 'stay' }, 'on_disconnect'],
  [{ config: { recursion_limit: 0 } }, 'config'],
  [{ metadata: { a: 'half \ud800' } }, 'metadata'],
])('when a request is %j, then it is refused by the name of its field', (body, field) => {
  const { error } = ThreadRunCreate.safeParse({ assistant_id: 'agent', ...body });
  expect(error?.issues.map(({ path }) => path[0])).toEqual([field]);
});

describe('the project that a run is traced to', () => {
  const example_id = '0199d3a0-0000-7000-8000-00000000000e';
  const tracer = { project_name: 'experiment', example_id };
  const by = (...scopes: Scope[]) => ({ caller: { ...setting.caller, scopes } });

  test('when a caller may write traces, then the project is the one that it names', () => {
    const { kwargs } = made({ langsmith_tracer: tracer }, by('agents:invoke', 'traces:write'));
    expect(kwargs.langsmith_tracer).toEqual(tracer);
    expect(made({ langsmith_tracer: tracer }, by('admin')).kwargs.langsmith_tracer).toEqual(tracer);
  });

  test.for<[object | null, Scope[]]>([
    [tracer, ['agents:invoke']],
    [tracer, ['agents:invoke', 'traces:read']],
    [{ example_id }, ['admin']],
    [{ project_name: '' }, ['admin']],
    [{ project_name: null, example_id: null }, ['admin']],
    [null, ['admin']],
  ])(
    'when the project is %j and the scopes are %j, then it is the deployment’s own',
    ([langsmith_tracer, scopes]) => {
      expect(made({ langsmith_tracer }, by(...scopes)).kwargs).not.toHaveProperty('langsmith_tracer');
    },
  );

  test.for<[object, string | null, string | null]>([
    [{}, null, null],
    [{}, 'own', 'own'],
    [{ langsmith_tracer: tracer }, 'own', 'experiment'],
    [{ langsmith_tracer: tracer }, null, null],
  ])(
    'when a run has %j and the deployment’s own project is %s, then its project is %s',
    ([kwargs, own, said]) => {
      const run = { run_id: 'r', thread_id: 't', kwargs, metadata: {} } as unknown as Run;
      expect(presentRun(run, own).langsmith_session_name).toBe(said);
    },
  );
});
