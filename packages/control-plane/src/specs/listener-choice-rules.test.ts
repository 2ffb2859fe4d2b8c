import { expect, test } from 'vitest';
import { type Listener, SourceKind } from '@roadstead/contracts/control-plane';
import { type Candidate, chooseListener, type PlacementRequest } from './listener-choice-rules.ts';

const platform: Candidate = {
  id: 'a0000000-0000-4000-8000-000000000000',
  compute_type: 'process',
  compute_id: 'embedded',
  compute_config: {},
  capabilities: ['archive'],
  served_namespaces: null,
  is_own: false,
};
const own = (id: string, compute_type: Listener['compute_type'], change: Partial<Candidate> = {}) => ({
  id: `${id}0000000-0000-4000-8000-000000000000`,
  compute_type,
  compute_id: id,
  compute_config: {},
  capabilities: ['image' as const],
  served_namespaces: null,
  is_own: true,
  ...change,
});
const docker = own('b', 'container');
const builder = own('c', 'container', { capabilities: ['archive', 'image'] });
const cluster = own('d', 'cluster', { compute_config: { cluster_namespaces: ['one', 'two'] } });
const open = own('e', 'cluster');
const builds = { ...cluster, capabilities: ['git' as const] };
const served = own('f', 'cluster', { served_namespaces: ['a', 'b'] });
const both = { ...cluster, served_namespaces: ['two', 'three'] };
const neither = { ...cluster, served_namespaces: ['three'] };

const place = (
  source: PlacementRequest['source'],
  listener_id: string | null = null,
  cluster_namespace: string | null = null,
) => ({ source, source_config: { listener_id, listener_config: { cluster_namespace } } });

test.each<[string, PlacementRequest, Candidate[], Candidate]>([
  ['what is uploaded runs on the platform’s own', place('internal_source'), [platform, docker], platform],
  ['an image runs where images run', place('external_image'), [platform, docker], docker],
  ['one of the workspace goes before the platform’s', place('internal_source'), [platform, builder], builder],
  ['the named one of several', place('external_image', builder.id), [docker, builder], builder],
  ['ids are written in either case', place('external_image', docker.id.toUpperCase()), [docker], docker],
  ['a namespace of the listener', place('external_image', null, 'two'), [platform, cluster], cluster],
  ['any namespace where the listener names none', place('external_image', null, 'x'), [open], open],
  ['no namespace where it names none', place('external_image'), [open], open],
  ['the first namespace for what is built', place('git'), [builds], builds],
  ['a namespace for what is built', place('git', null, 'two'), [builds], builds],
  ['a namespace that its data plane serves', place('external_image', null, 'b'), [served], served],
  ['one that is both named and served', place('external_image'), [both], both],
])(
  'when a deployment chooses its listener (%s), then it is the right one',
  (_case, asked, candidates, chosen) => {
    expect(chooseListener(asked, candidates)).toBe(chosen);
  },
);

const twins = ['1', '2'].map((id) => own(id, 'cluster', { capabilities: ['archive', 'git', 'image'] }));

test.each(SourceKind.options)(
  'when two listeners run %s, then one of them has to be named, and is taken',
  (source) => {
    const choose = (listener_id: string | null) => () => chooseListener(place(source, listener_id), twins);
    expect(choose(null)).toThrow(/^source_config.listener_id is required, .* runs? source/);
    for (const twin of twins) expect(choose(twin.id)()).toBe(twin);
    expect(choose(docker.id)).toThrow(/^source_config.listener_id names no listener/);
  },
);

test.each<[string, PlacementRequest, Candidate[], RegExp]>([
  ['no listener at all', place('internal_source'), [], /internal_source needs .*archive.* has none/],
  ['none that runs images', place('external_image'), [platform], /external_image needs .*images.*process/],
  [
    'several that could',
    place('external_image'),
    [docker, builder],
    new RegExp(`source_config.listener_id is required.*${docker.id}, ${builder.id}`),
  ],
  [
    'one that is not there',
    place('external_image', open.id),
    [docker],
    /source_config.listener_id names no listener/,
  ],
  [
    'one that runs no images',
    place('external_image', platform.id),
    [platform, docker],
    /source_config.listener_id runs archive/,
  ],
  [
    'a namespace on no cluster',
    place('external_image', null, 'x'),
    [docker],
    /listener_config.cluster_namespace is for/,
  ],
  [
    'a namespace that is not its',
    place('external_image', null, 'x'),
    [cluster],
    /cluster_namespace must be.*one, two/,
  ],
  [
    'a namespace that its data plane does not serve',
    place('external_image', null, 'one'),
    [both],
    /cluster_namespace must be one of the listener's namespaces: two\./,
  ],
  [
    'a data plane that serves none of its namespaces',
    place('external_image', null, 'one'),
    [neither],
    /in none of its namespaces \(one, two\)/,
  ],
  [
    'no namespace where it has several',
    place('external_image'),
    [cluster],
    /cluster_namespace must be.*one, two/,
  ],
])('when a deployment finds %s, then it is refused in a sentence', (_case, asked, candidates, sentence) => {
  expect(() => chooseListener(asked, candidates)).toThrow(sentence);
});
