import type { SeriesAnswer } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { modelPaths } from '../records/run-operation.ts';
import { startFixture } from '../testing/observability-fixture.ts';

/** A group of a series by model, and a filter by that model, are of the same runs, however runs name their models. */

interface Way {
  readonly way: string;
  readonly extra: object;
  readonly run_type?: string;
  /** The group; none where the run is in no group. */
  readonly model?: string;
}

const LONG = 'm'.repeat(250);

const ways: readonly Way[] = [
  { way: 'ls_model_name', extra: { metadata: { ls_model_name: 'by-metadata' } }, model: 'by-metadata' },
  ...modelPaths.map((path) => ({
    way: `invocation_params.${path}`,
    extra: { invocation_params: { [path]: `by-${path}` } },
    model: `by-${path}`,
  })),
  {
    way: 'ls_invocation_params',
    extra: { metadata: { ls_invocation_params: { model: 'by-copied "params"' } } },
    model: 'by-copied "params"',
  },
  {
    way: 'several names',
    extra: { metadata: { ls_model_name: 'the-first' }, invocation_params: { model: 'by-model' } },
    model: 'the-first',
  },
  {
    way: 'a second name of the same model',
    extra: { invocation_params: { model_name: 'by-metadata' } },
    model: 'by-metadata',
  },
  {
    way: 'an embedding',
    run_type: 'embedding',
    extra: { invocation_params: { model: 'embeds' } },
    model: 'embeds',
  },
  { way: 'a long name', extra: { metadata: { ls_model_name: LONG } }, model: LONG.slice(0, 200) },
  { way: 'no name', extra: { metadata: { ls_provider: 'acme' } } },
  { way: 'an empty name', extra: { metadata: { ls_model_name: '' } } },
  { way: 'a call of no model', run_type: 'chain', extra: { metadata: { ls_model_name: 'by-metadata' } } },
];

const fixture = useFixture(startFixture);
const project = useFixture(async () => {
  const post = ways.map(({ way, extra, run_type = 'llm' }, index) => {
    const id = uuidv7();
    const start_time = `2026-01-05T10:00:${String(index).padStart(2, '0')}.000000Z`;
    const place = { id, trace_id: id, dotted_order: `x${id}`, session_name: 'models' };
    return { ...place, name: way, run_type, start_time, end_time: '2026-01-05T10:05:00Z', extra };
  });
  await fixture().post('/runs/batch', { post });
  const [found] = await fixture()
    .client()
    .listSessions({ query: { name: 'models' } });
  return found?.id ?? '';
});

async function series(body: object): Promise<SeriesAnswer['series']> {
  const answer = await fixture().post('/v2/series/query', {
    start_time: '2026-01-05T00:00:00Z',
    end_time: '2026-01-06T00:00:00Z',
    project_ids: [project()],
    runs: 'all',
    select: [],
    ...body,
  });
  return ((await answer.json()) as SeriesAnswer).series;
}

async function namesOf(filter: string): Promise<string[]> {
  const { runs } = await fixture()
    .client()
    .queryRuns({ body: { session: [project()], filter, select: ['id', 'name'], limit: 100 } });
  return runs.map(({ name }) => String(name)).toSorted();
}

const models = [...new Set(ways.flatMap(({ model }) => model ?? []))];

it('when runs are grouped by model, then each model has one group', async () => {
  const lines = await series({ group_by: { attribute: 'model', max_groups: 20 } });
  const groups = lines.flatMap(({ group }) => group ?? []);
  expect(groups.toSorted()).toEqual(models.toSorted());
});

it.each(models)(
  'when %s is a group, then a filter by it finds the runs that the group counts',
  async (model) => {
    const filter = `eq(model, ${JSON.stringify(model)})`;
    const wanted = ways.flatMap((one) => (one.model === model ? [one.way] : [])).toSorted();
    const lines = await series({ group_by: { attribute: 'model', max_groups: 20 } });
    expect(lines.find(({ group }) => group === model)?.total.runs).toBe(wanted.length);
    expect(await namesOf(filter)).toEqual(wanted);
    expect((await series({ filter }))[0]?.total.runs).toBe(wanted.length);
  },
);

it('when runs have no model, then a filter finds them by that', async () => {
  const wanted = ways.flatMap(({ way, model }) => (model === undefined ? [way] : [])).toSorted();
  expect(await namesOf('eq(model, null)')).toEqual(wanted);
});
