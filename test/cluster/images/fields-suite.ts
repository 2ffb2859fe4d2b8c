import type { Deployment, DeploymentPatchRequest } from '@roadstead/contracts/control-plane';
import type { Pod } from '@roadstead/kubernetes';
import { eventually } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { contract_fields } from '../../images/deployed/field-table.ts';
import { ask, change, pathOf } from '../../images/deployed/image-platform.ts';
import {
  contract,
  initContainer,
  mounted,
  mounts,
  nowhere,
  readable,
  rowsOf,
  serverOf,
  SIDECAR_SAYS,
  volume_kinds,
  WORDS,
} from './field-table.ts';
import type { ImageCluster } from './image-cluster.ts';
import { serverImage } from './server-image.ts';

const NAME = 'fields';
const WITHIN = { within_ms: 60_000 };

/** What a cluster alone can do for an image: each field on the pods that it makes, and what the server sees of it. */
export function fieldsSuite(cluster: () => ImageCluster): void {
  describe('the fields of a deployment of an image in a cluster', () => {
    const chart = () => cluster().chart;
    let deployment: Deployment;
    let rows: ReturnType<typeof rowsOf>;
    let log = '';

    const get = async (path: string) => {
      const answer = await chart().fetch(`${chart().url}/agents/${NAME}${path}`);
      return await answer.text();
    };
    const file = (path: string) => get(`/file?path=${encodeURIComponent(path)}`);
    const changed = (patch: DeploymentPatchRequest) => change(chart(), { deployment, patch });
    const logOf = async (revision_id: string, type: 'build' | 'deploy') => {
      const path = `${pathOf(deployment)}/revisions/${revision_id}/logs?type=${type}&limit=1000`;
      return JSON.stringify((await ask<unknown>(chart(), ['GET', path])).body);
    };
    /** Those of the revision that serves. */
    const podsOf = async (revision_id: string): Promise<readonly Pod[]> =>
      (await cluster().podsOf(NAME)).filter(
        ({ metadata }) => metadata.labels?.['roadstead.dev/revision-id'] === revision_id,
      );
    let pods: readonly Pod[] = [];

    beforeAll(async () => {
      const image_uri = cluster().server('plain');
      ({ deployment } = await cluster().deploy({ name: NAME, image_uri }));
      rows = rowsOf({ image: image_uri });
      const { closed, layer } = cluster();
      const set = rows.flatMap(([name, row]) => ('set' in row ? [[name, row.set] as const] : []));
      const revision = await changed({
        source_revision_config: {
          image_uri: closed.add('server', serverImage(layer, { name: 'of a closed registry' })),
        },
        source_config: { resource_spec: Object.fromEntries(set) },
        secret_references: [
          { name: 'REFERRED', secret_name: WORDS, secret_key: 'word' },
          { name: 'WORD', secret_name: WORDS, secret_key: 'folder' },
        ],
      });
      expect(revision, JSON.stringify(revision.status_reason)).toMatchObject({ status: 'DEPLOYED' });
      pods = await eventually(async () => {
        const found = await podsOf(revision.id);
        expect(found.map(isReady)).toEqual([true, true]);
        return found;
      }, WITHIN);
      log = await logOf(revision.id, 'build');
    });

    test('when the contract has a field, then the tables have it', () => {
      expect(rows.map(([name]) => name).toSorted()).toEqual(contract_fields.resources.toSorted());
      expect(Object.keys(volume_kinds).toSorted()).toEqual(contract.volumes.toSorted());
      expect(Object.keys(initContainer('')).toSorted()).toEqual(contract.container.toSorted());
      const fields = new Set(mounts.flatMap((mount) => Object.keys(mount)));
      expect([...fields].toSorted()).toEqual(contract.mount.toSorted());
    });

    test('when fields are set, then each pod of the revision has them', () => {
      const shown = rows.flatMap(([name, row]) => ('shows' in row ? [{ name, ...row }] : []));
      expect(shown).toHaveLength(12);
      for (const pod of pods)
        for (const { name, shows, as } of shown)
          expect({ [name]: shows?.(pod) }).toMatchObject({ [name]: as });
    });

    test('when a field has no effect on a server, then the log of the build names it', () => {
      const without = rows.flatMap(([name, row]) => ('without_effect' in row ? [name] : []));
      expect(without).toHaveLength(10);
      for (const name of without) expect(log).toContain(name);
    });

    test('when a secret is referred to, then its value arrives', async () => {
      expect(await get('/variable?name=REFERRED')).toBe('of a secret');
    });

    test('when an image is of a registry with a login, then a Secret with that gets it', async () => {
      expect(JSON.parse(await get('/'))).toMatchObject({ name: 'of a closed registry' });
    });

    test('when volumes are mounted, then the server reads what each kind has', async () => {
      expect(readable.length + nowhere.length).toBe(8);
      for (const { path, reads } of [...readable, ...mounted]) expect(await file(path), path).toBe(reads);
    });

    test('when a service account is named, then the server has its token', async () => {
      const token = await file('/var/run/secrets/kubernetes.io/serviceaccount/token');
      const [, claims = ''] = token.split('.');
      const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string };
      expect(sub).toBe(`system:serviceaccount:${chart().agents_namespace}:speaker`);
    });

    test('when a sidecar is named, then it serves beside the server, with its own environment', async () => {
      for (const { status } of pods)
        expect(await (await fetch(`http://${status?.podIP}:9000`)).text()).toBe(SIDECAR_SAYS);
    });

    test('when nothing is said of security, then containers may do what is called restricted', () => {
      const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
      for (const pod of pods) {
        expect(serverOf(pod)?.securityContext).toMatchObject(restricted);
        const beside = pod.spec.initContainers?.find(({ name }) => name === 'neighbour');
        expect(beside?.securityContext).toMatchObject(restricted);
      }
    });
  });
}

const isReady = ({ status }: Pod) =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
