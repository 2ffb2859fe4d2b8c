import type { Container, ResourceSpec, VolumeMount } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { quantityOf } from './quantity-rules.ts';

/** Rules between the fields of a ResourceSpec; each refusal names the field by its path. */

const ROOT = 'source_config.resource_spec';

/** What may not be above what; of a value that is absent the default of the specification counts. */
const orders = [
  ['min_scale', 'max_scale'],
  ['cpu', 'cpu_limit'],
  ['memory_mb', 'memory_limit_mb'],
  ['queue_min_scale', 'queue_max_scale'],
  ['queue_cpu', 'queue_cpu_limit'],
  ['queue_memory_mb', 'queue_memory_limit_mb'],
  ['cache_cpu', 'cache_cpu_limit'],
  ['cache_memory_mb', 'cache_memory_limit_mb'],
  ['db_cpu', 'db_cpu_limit'],
  ['db_memory_mb', 'db_memory_limit_mb'],
] as const;

const defaults = {
  queue_min_scale: 'min_scale',
  queue_max_scale: 'max_scale',
  queue_cpu: 'cpu',
  queue_memory_mb: 'memory_mb',
} as const;

/** Throws `invalid` for the first rule that is broken. */
export function checkResourceSpec(spec: ResourceSpec): void {
  for (const [lower, upper] of orders) {
    const [least, most] = [effective(spec, lower), effective(spec, upper)];
    const isSaid = isNumber(spec[lower]) || isNumber(spec[upper]);
    if (isSaid && least !== undefined && most !== undefined && least > most)
      throw isNumber(spec[lower])
        ? refusal(lower, `must not be above ${upper}`)
        : refusal(upper, `must not be below ${lower}`);
  }
  const volumes = checkVolumes(spec);
  checkMounts(spec.volume_mounts, { at: 'volume_mounts', volumes });
  checkContainers(spec, volumes);
}

function effective(
  spec: ResourceSpec,
  field: (typeof orders)[number][0] | (typeof orders)[number][1],
): number | undefined {
  const value = spec[field];
  if (isNumber(value)) return value;
  const other = field in defaults ? spec[defaults[field as keyof typeof defaults]] : undefined;
  return isNumber(other) ? other : undefined;
}

/** Answers their names. */
function checkVolumes({ volumes }: ResourceSpec): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, { name, ...kinds }] of (volumes ?? []).entries()) {
    if (names.has(name)) throw refusal(`volumes[${index}].name`, 'is the name of another volume too');
    names.add(name);
    const given = Object.entries(kinds).filter(([, value]) => value !== null && value !== undefined);
    if (given.length > 1)
      throw refusal(
        `volumes[${index}]`,
        `must be of one kind, and has ${given.map(([kind]) => kind).join(' and ')}`,
      );
  }
  return names;
}

const propagations = ['None', 'HostToContainer', 'Bidirectional'];

function checkMounts(
  mounts: readonly VolumeMount[] | null | undefined,
  { at, volumes }: { readonly at: string; readonly volumes: ReadonlySet<string> },
): void {
  const paths = new Set<string>();
  for (const [index, mount] of (mounts ?? []).entries()) {
    const field = (name: keyof VolumeMount) => `${at}[${index}].${name}`;
    if (!volumes.has(mount.name)) throw refusal(field('name'), 'must be the name of a volume in volumes');
    if (!mount.mountPath.startsWith('/') || mount.mountPath.includes(':'))
      throw refusal(field('mountPath'), 'must be an absolute path without a colon');
    if (paths.has(mount.mountPath))
      throw refusal(field('mountPath'), 'is the path of another mount of the same container');
    paths.add(mount.mountPath);
    if (isText(mount.subPath) && isText(mount.subPathExpr))
      throw refusal(field('subPathExpr'), 'cannot be used beside subPath');
    for (const name of ['subPath', 'subPathExpr'] as const) {
      const path = mount[name] ?? '';
      if (path.startsWith('/') || path.split('/').includes('..'))
        throw refusal(field(name), 'must be a relative path inside the volume');
    }
    if (isText(mount.mountPropagation) && !propagations.includes(mount.mountPropagation))
      throw refusal(field('mountPropagation'), `must be one of ${propagations.join(', ')}`);
  }
}

function checkContainers(spec: ResourceSpec, volumes: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const list of ['init_containers', 'sidecars'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      const at = `${list}[${index}]`;
      if (names.has(container.name))
        throw refusal(`${at}.name`, 'is the name of another init container or sidecar too');
      names.add(container.name);
      checkMounts(container.volumeMounts, { at: `${at}.volumeMounts`, volumes });
      checkVariables(container, at);
      checkRequirements(container, at);
    }
  }
}

function checkVariables({ env }: Container, at: string): void {
  for (const [index, { value, valueFrom }] of (env ?? []).entries())
    if (isText(value) && valueFrom !== null && valueFrom !== undefined)
      throw refusal(`${at}.env[${index}].valueFrom`, 'cannot be used beside a value');
}

function checkRequirements({ resources }: Container, at: string): void {
  const { limits, requests } = resources ?? {};
  for (const [side, quantities] of Object.entries({ limits, requests }))
    for (const [name, text] of Object.entries(quantities ?? {}))
      if (quantityOf(text) === undefined)
        throw refusal(`${at}.resources.${side}.${name}`, 'must be a quantity like 500m, 1.5 or 2Gi');
  for (const [name, text] of Object.entries(requests ?? {})) {
    const limit = limits?.[name];
    if (limit !== undefined && (quantityOf(text) ?? 0) > (quantityOf(limit) ?? Infinity))
      throw refusal(`${at}.resources.requests.${name}`, 'must not be above its limit');
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined && value !== '';

function refusal(field: string, why: string): Problem {
  return new Problem('invalid', `${ROOT}.${field} ${why}.`);
}
