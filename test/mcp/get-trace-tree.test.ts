import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Arguments, startMcpFixture, traceOf } from './mcp-fixture.ts';

/** The skeleton of a trace. */

const [small, large] = [uuidv7(), uuidv7()];
const child = uuidv7();

const fixture = useFixture(startMcpFixture);
beforeAll(async () => {
  const [root, first] = traceOf(small, 2) as [object, { dotted_order: string }];
  const grandchild = {
    ...first,
    id: child,
    parent_run_id: (first as unknown as { id: string }).id,
    dotted_order: `${first.dotted_order}.20260105T000000000002Z${child}`,
    name: 'call the API',
    error: 'TimeoutError: 30 s\nTraceback …',
    end_time: '2026-01-05T00:00:30Z',
    outputs: { text: 'secret payload' },
  };
  await fixture().send([root, { ...first, error: 'RuntimeError: failed' }, grandchild]);
  await fixture().send(
    traceOf(large, 1500, { name: 'poll', error: null }).map((run, at) =>
      at === 700 ? { ...run, error: 'lost' } : run,
    ),
  );
});
const caller = useFixture(() => fixture().connect('client 2.x, HTTP, 2026-07-28'));

async function call(given: Arguments) {
  const answer = await caller().call('get_trace_tree', given);
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  const text = answer.content?.[0]?.text ?? '';
  expect(text.length).toBeLessThanOrEqual(Number(given['max_chars'] ?? 25_000));
  expect(text).not.toMatch(/secret payload|xxxxxxxx/);
  return answer.structuredContent as unknown as {
    nodes: { id: string; name: string; depth: number }[];
    next: string[];
  };
}

test('when a trace fits, then each run shows what it took and where it failed first', async () => {
  const answer = await call({ trace_id: small });
  expect(answer).toMatchObject({ trace_id: small, run_count: 3, error_count: 2, left_out: 0 });
  expect(answer.nodes).toEqual([
    expect.objectContaining({ depth: 0, id: small, run_type: 'chain', latency_s: 1 }),
    expect.objectContaining({ depth: 1, status: 'error', error: 'RuntimeError: failed' }),
    {
      depth: 2,
      id: child,
      name: 'call the API',
      run_type: 'tool',
      status: 'error',
      latency_s: 30,
      error: 'TimeoutError: 30 s',
    },
  ]);
  expect(answer.next).toEqual([`get_run {"run_id":"${child}"}`]);
});

test.each<[string, Arguments, string[]]>([
  ['below a run, of which only the id is known', { run_id: child }, ['call the API']],
  ['to a depth', { trace_id: small, max_depth: '1' }, ['step 0', 'step 1']],
  ['by name', { trace_id: small, name: 'api' }, ['step 0', 'step 1', 'call the API']],
  ['by time', { trace_id: small, min_latency_ms: 20_000 }, ['step 0', 'step 1', 'call the API']],
  ['by type', { trace_id: small, run_type: 'chain' }, ['step 0']],
  ['errors of a large one', { trace_id: large, errors_only: true }, ['poll', 'poll']],
  ['nothing', { trace_id: small, name: 'nothing' }, []],
])('when a part is asked for, then it is shown: %s', async (_what, given, names) => {
  const { nodes } = await call(given);
  expect(nodes.map(({ name }) => name)).toEqual(names);
});

test.each([2000, 25_000])(
  'when a trace is large, then it is condensed to %i characters and keeps what failed',
  async (max_chars) => {
    const answer = await call({ trace_id: large, max_chars });
    expect(answer).toMatchObject({
      run_count: 1500,
      left_out: 0,
      note: 'Condensed to fit: alike siblings are folded.',
    });
    expect(answer.nodes).toEqual([
      expect.objectContaining({ id: large }),
      expect.objectContaining({ depth: 1, folded: 1498 }),
      expect.objectContaining({ depth: 1, error: 'lost' }),
    ]);
  },
);

test.each<[string, Arguments, string, RegExp]>([
  ['neither id', {}, 'invalid_input', /trace_id or run_id is needed/],
  ['no such trace', { trace_id: uuidv7() }, 'not_found', /no trace/],
  ['a run that is no root as a trace', { trace_id: child }, 'not_found', /goes into run_id/],
  ['a run of another trace', { trace_id: large, run_id: child }, 'not_found', /no run.*Leave run_id out/],
  ['no such run', { run_id: uuidv7() }, 'not_found', /no run/],
  ['too little room', { trace_id: small, max_chars: 10 }, 'invalid_input', /max_chars must be 2000/],
])('when it gets %s, then it refuses', async (_what, given, code, says) => {
  const answer = await caller().call('get_trace_tree', given);
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code } } });
  expect(answer.content?.[0]?.text).toMatch(says);
});
