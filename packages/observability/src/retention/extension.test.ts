import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { multipartInit, startFixture } from '../testing/observability-fixture.ts';

const fixture = useFixture(startFixture);

/** A trace of two runs. */
function traceParts() {
  const [root, child] = [uuidv7(), uuidv7()];
  const base = {
    trace_id: root,
    run_type: 'chain',
    start_time: '2026-01-05T00:00:00Z',
    session_name: 'kept',
  };
  const order = `20260105T000000000000Z${root}`;
  return {
    root,
    child,
    parts: [
      [`post.${root}`, JSON.stringify({ ...base, id: root, dotted_order: order, name: 'root' })],
      [`post.${root}.inputs`, '{"said":"all of it"}'],
      [
        `post.${child}`,
        JSON.stringify({
          ...base,
          id: child,
          name: 'child',
          parent_run_id: root,
          dotted_order: `${order}.20260105T000001000000Z${child}`,
        }),
      ],
    ] as const,
  };
}

const send = async (parts: Parameters<typeof multipartInit>[0]) =>
  expect((await fixture().send('/runs/multipart', multipartInit(parts))).status).toBe(202);
const feedbackPart = (run_id: string, more: object) =>
  [`feedback.${uuidv7()}`, JSON.stringify({ run_id, key: 'k', score: 1, ...more })] as const;
const read = async (id: string) =>
  (await (await fixture().send(`/runs/${id}`)).json()) as { trace_tier: string; inputs: unknown };
const wishes = () => fixture().fresh.db.query('select from traces.retention_extensions');

it('when feedback on a run of a trace asks for it, then the trace is kept longer', async () => {
  const { root, child, parts } = traceParts();
  await send(parts);
  await send([feedbackPart(child, { extend_trace_retention: true })]);
  await expect.poll(async () => (await read(root)).trace_tier).toBe('longlived');
  expect(await read(child)).toMatchObject({ trace_tier: 'longlived' });
  expect(await read(root)).toMatchObject({ inputs: { said: 'all of it' } });
  await send([
    [
      `patch.${root}`,
      JSON.stringify({
        id: root,
        trace_id: root,
        dotted_order: `20260105T000000000000Z${root}`,
        end_time: '2026-01-05T00:00:02Z',
      }),
    ],
  ]);
  expect(await read(root)).toMatchObject({ trace_tier: 'longlived', inputs: { said: 'all of it' } });
  const [project] = await fixture()
    .client()
    .listSessions({ query: { name: 'kept', include_stats: 'true' } });
  expect(project).toMatchObject({ run_count: 1, latency_p50: expect.closeTo(2, 1) as number });
});

it('when a run is still on its way, then the extension waits for it', async () => {
  const { root, parts } = traceParts();
  await fixture()
    .client()
    .createFeedback({
      body: { run_id: root, key: 'k', score: 1, extend_trace_retention: true },
    });
  expect(await wishes()).toHaveLength(1);
  await send(parts);
  await expect.poll(async () => (await read(root)).trace_tier).toBe('longlived');
  await expect.poll(wishes).toEqual([]);
});

it.each([{}, { extend_trace_retention: false }, { extend_trace_retention: true, _skip_trace_upgrade: true }])(
  'when feedback says %j, then it asks for no extension',
  async (more) => {
    const { root, parts } = traceParts();
    await send([...parts, feedbackPart(root, more)]);
    expect(await wishes()).toEqual([]);
  },
);
