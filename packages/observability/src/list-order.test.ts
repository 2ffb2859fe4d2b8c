import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startFixture } from './testing/observability-fixture.ts';

/** Lists by time keep the order of creation even within one millisecond, for example in a client's loop. */

const at = Date.now();
const fixture = useFixture(() => startFixture({ clock: { now: () => at } }));
const client = useFixture(() => fixture().client());
const dataset_id = useFixture(async () => (await client().createDataset({ body: { name: 'before' } })).id);
const session_id = useFixture(
  async () =>
    (await client().createSession({ body: { name: 'an experiment', reference_dataset_id: dataset_id() } }))
      .id,
);

interface ListItem {
  readonly id: string;
}

interface Query {
  readonly sort_by_desc?: 'false';
}

interface ListCase {
  readonly make: (name: string) => Promise<ListItem>;
  readonly list: (query: Query) => Promise<readonly ListItem[]>;
}

const lists: Readonly<Record<string, ListCase>> = {
  projects: {
    make: async (name) => client().createSession({ body: { name } }),
    list: async (query) => client().listSessions({ query }),
  },
  'projects that pass a filter': {
    make: async (name) => client().createSession({ body: { name } }),
    list: async (query) =>
      client().listSessions({ query: { ...query, filter: 'gt(start_time, "2020-01-01T00:00:00Z")' } }),
  },
  datasets: {
    make: async (name) => client().createDataset({ body: { name } }),
    list: async (query) => client().listDatasets({ query: { ...query, sort_by: 'created_at' } }),
  },
  'annotation queues': {
    make: async (name) => client().createAnnotationQueue({ body: { name } }),
    list: async (query) => client().listAnnotationQueues({ query }),
  },
  comparisons: {
    make: async (name) =>
      client().createComparativeExperiment({ body: { name, experiment_ids: [session_id()] } }),
    list: async (query) =>
      client().listComparativeExperiments({ params: { dataset_id: dataset_id() }, query }),
  },
  formulas: {
    make: async (name) =>
      client().createFeedbackFormula({
        body: {
          session_id: session_id(),
          feedback_key: name,
          aggregation_type: 'sum',
          formula_parts: [{ part_type: 'weighted_key', weight: 1, key: 'a' }],
        },
      }),
    list: async () => client().listFeedbackFormulas({ query: { session_id: session_id() } }),
  },
};

/** These are listed in one order only. */
const oneWay = new Set(['formulas']);

test.each(Object.entries(lists))(
  'when %s are listed, then they stand in the order in which they were made',
  async (what, { make, list }) => {
    const made: string[] = [];
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth'])
      made.push((await make(`${name} of ${what}`)).id);
    const listed = async (query: Query) =>
      (await list(query)).map(({ id }) => id).filter((id) => made.includes(id));
    expect(await listed({})).toEqual(made.toReversed());
    const turned = await listed({ sort_by_desc: 'false' });
    expect(oneWay.has(what) ? turned.toReversed() : turned).toEqual(made);
  },
);
