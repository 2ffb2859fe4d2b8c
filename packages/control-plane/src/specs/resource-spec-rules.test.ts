import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResourceSpec } from '@roadstead/contracts/control-plane';
import { effectiveResources, resourceDefaults } from './effective-resources-rules.ts';
import { checkResourceSpec, quantityOf } from './resource-spec-rules.ts';

/** Parsed by the contract; throws what the contract refuses. */
const check = (spec: object) => checkResourceSpec(ResourceSpec.parse(spec));

function isRefused(spec: object): boolean {
  try {
    check(spec);
    return false;
  } catch (error) {
    return (error as Error).message.includes('requests.cpu');
  }
}

const volumes = [{ name: 'data', emptyDir: {} }];
const container = (change: object) => ({ name: 'side', image: 'busybox:1', ...change });
const mount = (change: object = {}) => ({ name: 'data', mountPath: '/data', ...change });

test.each<[string, object]>([
  ['nothing', {}],
  ['a request at its limit', { cpu: 2, cpu_limit: 2, memory_mb: 512, memory_limit_mb: 512 }],
  ['a queue that has the server’s request', { cpu: 1, queue_cpu_limit: 1 }],
  ['as many connections as are needed', { db_max_connections: 14 }],
  ['no limit of connections', { db_max_connections: 0 }],
  ['a scale without its other end', { min_scale: 3 }],
  ['volumes and their mounts', { volumes, volume_mounts: [mount(), mount({ mountPath: '/other' })] }],
  [
    'one path in two containers',
    { volumes, volume_mounts: [mount()], sidecars: [container({ volumeMounts: [mount()] })] },
  ],
  ['a volume without a kind', { volumes: [{ name: 'data' }] }],
  [
    'valueFrom beside an empty value',
    { sidecars: [container({ env: [{ name: 'A', value: '', valueFrom: {} }] })] },
  ],
  [
    'requests below their limits',
    {
      sidecars: [
        container({
          resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '0.5', memory: '2G' } },
        }),
      ],
    },
  ],
  [
    'labels and annotations',
    { labels: { 'a.example.com/b': '', c: 'D_e.f' }, annotations: { 'a/b': 'any text' } },
  ],
  ['a reserved field that is null', { orchestrator_cpu: null }],
  ['a sidecar that is started again', { sidecars: [container({ restartPolicy: 'Always' })] }],
  ['a request without a limit', { sidecars: [container({ resources: { requests: { cpu: '1' } } })] }],
])('when a resource spec has %s, then it is accepted', (_case, spec) => {
  expect(() => check(spec)).not.toThrow();
});

test.each<[object, string]>([
  [{ cpu: 2, cpu_limit: 1 }, 'cpu '],
  [{ memory_mb: 2, memory_limit_mb: 1 }, 'memory_mb '],
  [{ min_scale: 2, max_scale: 1 }, 'min_scale '],
  [{ max_scale: 1, queue_min_scale: 2 }, 'queue_min_scale '],
  [{ cpu: 2, queue_cpu_limit: 1 }, 'queue_cpu_limit '],
  [{ cache_memory_mb: 2, cache_memory_limit_mb: 1 }, 'cache_memory_mb '],
  [{ db_cpu: 2, db_cpu_limit: 1 }, 'db_cpu '],
  [{ queue_max_scale: 1, min_scale: 2 }, 'queue_max_scale '],
  [{ memory_mb: 512, queue_memory_limit_mb: 256 }, 'queue_memory_limit_mb '],
  [{ db_max_connections: 13 }, 'db_max_connections must be at least 14, or 0 for no limit'],
  [{ orchestrator_min_scale: 1 }, 'orchestrator_min_scale is reserved'],
  [{ executor_cpu: 0 }, 'executor_cpu is reserved'],
  [{ labels: { 'no name': 'a' } }, 'labels["no name"] has a key'],
  [{ annotations: { 'a/b/c': 'a' } }, 'annotations["a/b/c"] has a key'],
  [{ labels: { a: 'no value' } }, 'labels["a"] must'],
  [{ annotations: { a: 'x'.repeat(262_144) } }, 'annotations must not be larger'],
  [{ volumes, volume_mounts: [mount(), mount({ mountPath: '/data/' })] }, 'volume_mounts[1].mountPath '],
  [{ init_containers: [container({ restartPolicy: 'Always' })] }, 'init_containers[0].restartPolicy '],
  [{ volumes: [...volumes, ...volumes] }, 'volumes[1].name '],
  [
    { volumes: [{ name: 'data', emptyDir: {}, nfs: {} }] },
    'volumes[0] must be of one kind, and has emptyDir and nfs',
  ],
  [{ volume_mounts: [mount()] }, 'volume_mounts[0].name '],
  [{ volumes, volume_mounts: [mount(), mount({ name: 'date' })] }, 'volume_mounts[1].name '],
  [{ volumes, volume_mounts: [mount({ mountPath: 'data' })] }, 'volume_mounts[0].mountPath '],
  [{ volumes, volume_mounts: [mount({ mountPath: '/a:b' })] }, 'volume_mounts[0].mountPath '],
  [{ volumes, volume_mounts: [mount(), mount()] }, 'volume_mounts[1].mountPath '],
  [{ volumes, volume_mounts: [mount({ subPath: 'a', subPathExpr: 'b' })] }, 'volume_mounts[0].subPathExpr '],
  [{ volumes, volume_mounts: [mount({ subPath: '../a' })] }, 'volume_mounts[0].subPath '],
  [{ volumes, volume_mounts: [mount({ mountPropagation: 'All' })] }, 'volume_mounts[0].mountPropagation '],
  [{ init_containers: [container({ volumeMounts: [mount()] })] }, 'init_containers[0].volumeMounts[0].name '],
  [{ init_containers: [container({})], sidecars: [container({})] }, 'sidecars[0].name '],
  [
    { sidecars: [container({ env: [{ name: 'A', value: 'x', valueFrom: {} }] })] },
    'sidecars[0].env[0].valueFrom ',
  ],
  [
    { sidecars: [container({ resources: { requests: { memory: '2Gi' }, limits: { memory: '2G' } } })] },
    'sidecars[0].resources.requests.memory ',
  ],
  [
    { sidecars: [container({ resources: { limits: { cpu: 'lots' } } })] },
    'sidecars[0].resources.limits.cpu ',
  ],
])('when a resource spec is %j, then it is refused by its field', (spec, sentence) => {
  expect(() => check(spec)).toThrow(`source_config.resource_spec.${sentence}`);
});

test.each<[string, number | undefined]>([
  ['1', 1],
  ['500m', 0.5],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1e3', 1000],
  ['2E', 2e18],
  ['.5', 0.5],
  ['', undefined],
  ['1 Gi', undefined],
  ['-1', undefined],
  ['1gb', undefined],
])('when a quantity is %j, then its value is %s', (text, value) => {
  expect(quantityOf(text)).toBe(value);
});

test('when a request is above its limit, then it is refused, and only then', () => {
  const side = fc.integer({ min: 1, max: 5000 });
  fc.assert(
    fc.property(side, side, (request, limit) => {
      const resources = { requests: { cpu: `${request}m` }, limits: { cpu: `${limit / 1000}` } };
      const spec = { sidecars: [container({ resources })] };
      expect(isRefused(spec)).toBe(request > limit);
    }),
  );
});

/** The field, then the value that is too low, the lowest, the highest, and the one that is too high. */
const ranges: readonly (readonly [string, number, number, number, number])[] = [
  ...['cpu', 'queue_cpu', 'cache_cpu'].map((field) => [field, 0.09, 0.1, 8, 8.1] as const),
  ...['cpu_limit', 'queue_cpu_limit', 'cache_cpu_limit'].map(
    (field) => [field, 0.09, 0.1, 16, 16.1] as const,
  ),
  ...['memory_mb', 'min_scale', 'max_scale', 'db_storage_gi', 'db_max_connections'].map(
    (field) => [field, -1, 0, 1_000_000, 1.5] as const,
  ),
];
test.each(ranges)(
  'when %s is %d, then it is refused; from %d to %d it is taken, and at %d refused',
  (field, ...[below, low, high, above]) => {
    const isTaken = (value: number) => ResourceSpec.safeParse({ [field]: value }).success;
    expect([below, low, high, above].map(isTaken)).toEqual([false, true, true, false]);
  },
);

test.each([
  ['cpu', 0.14, 0.1],
  ['cpu', 0.15, 0.2],
  ['queue_cpu_limit', 3.96, 4],
  ['db_cpu', 1.26, 1.3],
] as const)('when %s is %d, then it is rounded to %d', (field, sent, kept) => {
  expect(ResourceSpec.parse({ [field]: sent })[field]).toBe(kept);
});

test('when a resource is absent, then it follows from what is there, as the specification says', () => {
  expect(
    effectiveResources({ cpu: 0.7, memory_mb: 512, min_scale: 1, max_scale: 3, cache_memory_mb: 64 }),
  ).toEqual({
    cpu: 0.7,
    cpu_limit: 1.4,
    memory_mb: 512,
    memory_limit_mb: 1024,
    min_scale: 1,
    max_scale: 3,
    queue_min_scale: 1,
    queue_max_scale: 3,
    queue_cpu: 0.7,
    queue_cpu_limit: 1.4,
    queue_memory_mb: 512,
    queue_memory_limit_mb: 1024,
    cache_memory_mb: 64,
    cache_memory_limit_mb: 64,
  });
  expect(effectiveResources({ cpu: 1, cpu_limit: 1, queue_cpu: 2, db_memory_mb: 1 })).toEqual({
    cpu: 1,
    cpu_limit: 1,
    queue_cpu: 2,
    queue_cpu_limit: 4,
    db_memory_mb: 1,
    db_memory_limit_mb: 2,
  });
  expect(effectiveResources({})).toEqual({});
});

test('when defaults are applied twice, then that changes nothing, nor what was said', () => {
  const amount = fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined });
  const fields = [...new Set(resourceDefaults.flatMap(([absent, follows]) => [absent, follows]))];
  fc.assert(
    fc.property(fc.record(Object.fromEntries(fields.map((field) => [field, amount]))), (sent) => {
      const spec = JSON.parse(JSON.stringify(sent)) as ResourceSpec;
      const effective = effectiveResources(spec);
      expect(effectiveResources(effective)).toEqual(effective);
      expect(effective).toMatchObject(spec);
    }),
  );
});
