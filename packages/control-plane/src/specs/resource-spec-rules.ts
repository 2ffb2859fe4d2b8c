import {
  type Container,
  LEAST_CONNECTIONS,
  ObjectName,
  type ResourceSpec,
  type VolumeMount,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { effectiveResources } from './effective-resources-rules.ts';

/** Rules between the fields of a ResourceSpec; each refusal names the field by its path. */

const ROOT = 'source_config.resource_spec';

/** Pairs of which the first may not exceed the second; an absent value has the specification's default. */
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

/** Throws `invalid` for the first rule that is broken; `present` is what the deployment has. */
export function checkResourceSpec(spec: ResourceSpec, present?: ResourceSpec | null): void {
  checkReserved(spec);
  checkOrders(spec);
  checkConnections(spec, present?.db_max_connections);
  checkLabels(spec);
  const volumes = checkVolumes(spec);
  checkMounts(spec.volume_mounts, { at: 'volume_mounts', volumes });
  checkContainers(spec, volumes);
}

function checkReserved(spec: ResourceSpec): void {
  for (const [field, value] of Object.entries(spec))
    if (/^(orchestrator|executor)_/.test(field) && isNumber(value))
      throw refusal(field, 'is reserved and cannot be set');
}

function checkOrders(spec: ResourceSpec): void {
  const effective = effectiveResources(spec);
  for (const [lower, upper] of orders) {
    const [least, most] = [effective[lower], effective[upper]];
    if (isNumber(least) && isNumber(most) && least > most)
      throw isNumber(spec[lower])
        ? refusal(lower, `must not be above ${upper}`)
        : refusal(upper, `must not be below ${lower}`);
  }
}

/** None of the server's own limits is a limit of nothing. What an earlier version took acts as the least, and may stay. */
function checkConnections({ db_max_connections: most }: ResourceSpec, stored: unknown): void {
  if (isNumber(most) && most !== stored && most > 0 && most < LEAST_CONNECTIONS)
    throw refusal('db_max_connections', `must be at least ${LEAST_CONNECTIONS}, or 0 for no limit`);
}

const MAX_ANNOTATION_BYTES = 262_144;

/** Checks labels by the rules of a cluster. */
function checkLabels({ labels, annotations }: ResourceSpec): void {
  for (const [field, map] of Object.entries({ labels, annotations }))
    for (const [key, value] of Object.entries(map ?? {})) {
      const at = `${field}[${JSON.stringify(key.slice(0, 100))}]`;
      if (!isLabelKey(key))
        throw refusal(
          at,
          'has a key that is not a name of at most 63 characters, or DNS subdomain, slash and name',
        );
      if (field === 'labels' && !(value === '' || isLabelName(value)))
        throw refusal(at, 'must be at most 63 letters, digits, hyphens, underscores or dots');
    }
  if (Buffer.byteLength(JSON.stringify(annotations ?? {})) > MAX_ANNOTATION_BYTES)
    throw refusal('annotations', `must not be larger than ${MAX_ANNOTATION_BYTES} bytes`);
}

const isLabelName = (text: string) => /^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(text);

function isLabelKey(key: string): boolean {
  const [name = '', prefix] = key.split('/').toReversed();
  const isPrefixed = prefix === undefined || ObjectName.safeParse(prefix).success;
  return key.split('/').length <= 2 && isPrefixed && isLabelName(name);
}

/** Checks volumes; answers their names. */
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
    const path = mount.mountPath.replace(/\/+$/, '');
    if (paths.has(path))
      throw refusal(field('mountPath'), 'is the path of another mount of the same container');
    paths.add(path);
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
      if (list === 'init_containers' && isText(container.restartPolicy))
        throw refusal(`${at}.restartPolicy`, 'is for sidecars');
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

/** Powers of ten, which keep a decimal exact until it is read. */
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Parses a quantity of Kubernetes: `500m`, `1.5`, `2Gi`, `1e3`. Undefined for a text that is none. */
export function quantityOf(text: string): number | undefined {
  const [, number, exponent, suffix = ''] =
    /^\+?(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/.exec(text) ??
    [];
  if (number === undefined) return undefined;
  if (binary.includes(suffix)) return Number(number) * 1024 ** (binary.indexOf(suffix) + 1);
  return Number(`${number}e${exponent ?? decimal[suffix] ?? 0}`);
}
