import type { SeriesAnswer } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { OTHER_WORKSPACE, startFixture } from '../testing/observability-fixture.ts';

interface TraceSeed {
  readonly at: string;
  readonly error?: string;
  readonly seconds: number;
  readonly model: string;
  readonly tool: string;
  readonly tags: readonly string[];
  readonly revision: string;
  readonly score?: number;
}

const sent: readonly TraceSeed[] = [
  { at: '2026-01-04T22:00:00', seconds: 8, model: 'm0', tool: 'search', tags: [], revision: 'r0' },
  {
    at: '2026-01-05T10:10:00',
    seconds: 1,
    model: 'm1',
    tool: 'search',
    tags: ['a', 'b'],
    revision: 'r1',
    score: 1,
  },
  { at: '2026-01-05T10:50:00', seconds: 3, model: 'm1', tool: 'mail', tags: ['a'], revision: 'r1', score: 0 },
  {
    at: '2026-01-05T12:00:00',
    seconds: 2,
    model: 'm2',
    tool: 'search',
    tags: ['c'],
    revision: 'r2',
    error: 'down',
  },
  {
    at: '2026-01-05T12:30:00',
    seconds: 2,
    model: 'm3',
    tool: 'search',
    tags: ['b'],
    revision: 'r2',
    error: `GraphInterrupt((Interrupt(value='Sure?'),))`,
  },
];

const runsOf = ({ at, error, seconds, model, tool, tags, revision }: TraceSeed, trace_id: string) => {
  const start_time = `${at}.000000Z`;
  const end_time = new Date(Date.parse(start_time) + seconds * 1000).toISOString();
  const metadata = { revision_id: revision };
  const child = (run: object) => {
    const id = uuidv7();
    return {
      id,
      trace_id,
      parent_run_id: trace_id,
      dotted_order: `x${trace_id}.x${id}`,
      start_time,
      end_time,
      session_name: 'drawn',
      ...run,
    };
  };
  return [
    {
      id: trace_id,
      trace_id,
      dotted_order: `x${trace_id}`,
      start_time,
      end_time,
      name: 'agent',
      run_type: 'chain',
      session_name: 'drawn',
      error,
      tags,
      extra: { metadata },
    },
    child({
      name: 'model',
      run_type: 'llm',
      outputs: { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15, total_cost: 0.5 } },
      extra: { metadata: { ...metadata, ls_model_name: model } },
    }),
    child({ name: tool, run_type: 'tool', extra: { metadata } }),
  ];
};

const fixture = useFixture(startFixture);
const traces = sent.map(() => uuidv7());
const project = useFixture(async () => {
  const post = sent.flatMap((one, index) => runsOf(one, traces[index] ?? ''));
  await fixture().post('/runs/batch', { post });
  const [found] = await fixture()
    .client()
    .listSessions({ query: { name: 'drawn' } });
  return found?.id ?? '';
});
beforeAll(async () => {
  for (const [index, { score }] of sent.entries())
    if (score !== undefined)
      await fixture().post('/feedback', { run_id: traces[index], key: 'stars', score });
});

const day = { start_time: '2026-01-05T00:00:00Z', end_time: '2026-01-06T00:00:00Z' } as const;

async function ask(body: object, workspace_id?: string) {
  const response = await fixture().post('/v2/series/query', { ...day, ...body }, workspace_id);
  return { status: response.status, answer: (await response.json()) as SeriesAnswer & { detail?: string } };
}

const nearly = (value: number) => expect.closeTo(value, 1) as number;
const lineOf = ({ series }: SeriesAnswer) =>
  series.map(({ kind, group, total }) => `${kind} ${group ?? '-'} ${total.runs}`);

describe('series', () => {
  it('when roots are asked for by the hour, then each bucket has the sums of its traces', async () => {
    const { answer } = await ask({ bucket_s: 3600, select: ['latency', 'tokens', 'cost', 'feedback'] });
    const [all] = answer.series;
    expect(all).toMatchObject({
      kind: 'all',
      points: [
        {
          start_time: '2026-01-05T10:00:00.000Z',
          runs: 2,
          errors: 0,
          error_rate: 0,
          latency_p50: 2,
          latency_p99: 2.98,
          prompt_tokens: 20,
          total_tokens: 30,
          total_cost: 1,
          feedback: { stars: { count: 2, average: 0.5 } },
        },
        // An interrupt is no error.
        { start_time: '2026-01-05T12:00:00.000Z', runs: 2, errors: 1, error_rate: 0.5 },
      ],
      total: { runs: 4, errors: 1, error_rate: 0.25, total_tokens: 60, total_cost: 2 },
      before: { runs: 1, errors: 0, latency_p50: 8, total_tokens: 15 },
    });
    expect(all?.total).not.toHaveProperty('first_token_p50');
  });

  it('when days are asked for, then their rollups answer what their runs would', async () => {
    const rolled_up = await ask({ bucket_s: 86_400 });
    const read = await ask({ bucket_s: 86_400, filter: 'eq(is_root, true)' });
    const [one, other] = [rolled_up, read].map(({ answer }) => answer.series[0]);
    expect(one?.points.map(({ start_time }) => start_time)).toEqual(['2026-01-05T00:00:00.000Z']);
    const near = Object.fromEntries(
      Object.entries(other?.total ?? {}).map(([name, value]) => [name, nearly(Number(value ?? 0))]),
    );
    const found = Object.fromEntries(
      Object.entries(one?.total ?? {}).map(([name, value]) => [name, value ?? 0]),
    );
    expect(found).toEqual(near);
    expect(one?.before).toMatchObject({ runs: 1, total_tokens: 15, total_cost: 0.5 });
  });

  it('when a period cuts its days, then only the runs in it are counted', async () => {
    const body = { start_time: '2026-01-04T21:00:00Z', end_time: '2026-01-05T12:15:00Z', bucket_s: 86_400 };
    const [line] = (await ask(body)).answer.series;
    expect(line?.points.map(({ runs }) => runs)).toEqual([1, 3]);
    expect(line).toMatchObject({ total: { runs: 4 }, before: { runs: 0 } });
  });

  it.each([
    ['model', 2, ['all - 4', 'group m1 2', 'group m2 1', 'other - 1']],
    ['tool', 5, ['all - 4', 'group search 3', 'group mail 1']],
    ['revision', 5, ['all - 4', 'group r1 2', 'group r2 2']],
    ['tag', 2, ['all - 4', 'group a 2', 'group b 2', 'other - 1']],
    ['status', 5, ['all - 4', 'group success 3', 'group error 1']],
  ])(
    'when runs are grouped by %s, then the largest %i groups have lines',
    async (attribute, max_groups, lines) => {
      const { answer } = await ask({ group_by: { attribute, max_groups }, select: ['feedback', 'tokens'] });
      expect(lineOf(answer)).toEqual(lines);
    },
  );

  it('when all runs are asked for, then each counts by itself', async () => {
    const { answer } = await ask({ runs: 'all', group_by: { attribute: 'run_type' } });
    expect(lineOf(answer)).toEqual(['all - 12', 'group chain 4', 'group llm 4', 'group tool 4']);
    expect(answer.series.map(({ total }) => total.total_tokens)).toEqual([60, 0, 60, 0]);
  });

  it('when a filter is given, then only what passes is counted', async () => {
    const { answer } = await ask({
      filter: 'and(has(tags, "a"), gt(latency, "2s"))',
      project_ids: [project()],
    });
    expect(answer.series[0]).toMatchObject({ total: { runs: 1, latency_p50: 3 }, before: { runs: 0 } });
    expect((await ask({ filter: 'has(tags' })).status).toBe(400);
  });

  it('when a project is not in the workspace, then it is not found, and nothing is counted', async () => {
    expect((await ask({ project_ids: [project()] }, OTHER_WORKSPACE)).status).toBe(404);
    expect((await ask({}, OTHER_WORKSPACE)).answer.series).toMatchObject([
      { points: [], total: { runs: 0 } },
    ]);
  });

  it.each([
    ['no period', { end_time: day.start_time }, 'end_time'],
    ['too long a period', { start_time: '2024-01-05T00:00:00Z' }, 'start_time'],
    ['too many buckets', { start_time: '2026-01-01T00:00:00Z', bucket_s: 60 }, 'bucket_s'],
    ['too many grouped buckets', { bucket_s: 60, group_by: { attribute: 'tag' } }, 'bucket_s'],
    ['roots by model', { runs: 'roots', group_by: { attribute: 'model' } }, 'runs'],
  ])('when a question has %s, then its field is named', async (_, body, field) => {
    const { status, answer } = await ask(body);
    expect([status, JSON.stringify(answer)]).toEqual([
      expect.toBeOneOf([400, 422]),
      expect.stringContaining(field),
    ]);
  });
});
