import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apply, type InstalledChart, type Object, volumeOn } from '../installed-chart.ts';
import { SHELF, SPEAKER, WORDS } from './field-table.ts';
import type { TestRegistry } from './test-registry.ts';

interface Objects {
  readonly chart: InstalledChart;
  /** What the login is for. */
  readonly closed: TestRegistry;
  readonly login: { readonly username: string; readonly password: string };
}

/** A folder of the volume. */
const BELOW = 'below';

/** Makes what deployments name in the namespace of agents: a Secret and a ConfigMap of words, a service account, a claim, a login. */
export async function applyObjects({ chart, closed, login }: Objects): Promise<void> {
  const { agents_namespace: namespace } = chart;
  const named = (name: string) => ({ metadata: { name, namespace } });
  const auths = { [closed.name]: login };
  await apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      ...named(WORDS),
      stringData: { word: 'of a secret', folder: BELOW },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', ...named(WORDS), data: { word: 'of a config map' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', ...named(SPEAKER) },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      ...named('login'),
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    },
    ...(await claimOf(chart)),
  );
}

async function claimOf(chart: InstalledChart): Promise<readonly Object[]> {
  const { namespace, agents_namespace } = chart;
  const { path, volume } = await volumeOn({ namespace, claim: SHELF, of: agents_namespace });
  await writeFile(join(path, 'word'), 'of a claim');
  await mkdir(join(path, BELOW), { recursive: true });
  await chmod(join(path, BELOW), 0o777);
  await writeFile(join(path, BELOW, 'word'), 'below a path of a variable');
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: SHELF, namespace: agents_namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  };
  return [volume, claim];
}
