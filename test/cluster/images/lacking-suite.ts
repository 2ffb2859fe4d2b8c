import type { Deployment, DeploymentPatchRequest, ResourceSpec } from '@roadstead/contracts/control-plane';
import type { Pod } from '@roadstead/kubernetes';
import { eventually } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ask, change, pathOf } from '../../images/deployed/image-platform.ts';
import { volume_kinds, WORDS } from './field-table.ts';
import type { ImageCluster } from './image-cluster.ts';
import { NODE } from './server-image.ts';

/** Stands for an image that is there. */
const IMAGE = 'IMAGE';

interface Lack {
  readonly what: string;
  readonly spec?: ResourceSpec;
  /** Without it the Secret of words is referred to, which is there. */
  readonly refers?: { readonly secret_name: string; readonly secret_key: string };
  readonly code: string;
  readonly words: readonly string[];
}

const mounting = (volume: object): ResourceSpec => ({
  volumes: [{ name: 'odd', ...volume }],
  volume_mounts: [{ name: 'odd', mountPath: '/odd' }],
});

const lacks: readonly Lack[] = [
  {
    what: 'a Secret that is not there',
    refers: { secret_name: 'nowhere', secret_key: 'word' },
    code: 'secret_missing',
    words: ['Secret nowhere'],
  },
  {
    what: 'a key that its Secret has not',
    refers: { secret_name: WORDS, secret_key: 'nothing' },
    code: 'key_missing',
    words: [`Secret ${WORDS}`, 'key nothing'],
  },
  {
    what: 'a service account that is not there',
    spec: { service_account_name: 'nobody' },
    code: 'service_account_missing',
    words: ['service account nobody'],
  },
  {
    what: 'a volume claim that is not there',
    spec: mounting({ persistentVolumeClaim: { claimName: 'nowhere' } }),
    code: 'unschedulable',
    words: ['volume claim nowhere'],
  },
  {
    what: 'a config map in a volume that is not there',
    spec: mounting({ configMap: { name: 'nowhere' } }),
    code: 'config_map_missing',
    words: ['ConfigMap nowhere'],
  },
  {
    what: 'a volume of a kind that the namespace does not allow',
    spec: mounting({ nfs: volume_kinds.nfs.source }),
    code: 'pod_security',
    words: ['restricted', 'nfs'],
  },
  {
    what: 'a sidecar that may more than the namespace allows',
    spec: { sidecars: [{ name: 'strong', image: IMAGE, securityContext: { privileged: true } }] },
    code: 'pod_security',
    words: ['restricted', 'strong'],
  },
  {
    what: 'an init container that fails',
    spec: {
      init_containers: [{ name: 'broken', image: IMAGE, command: [NODE, '--eval', 'process.exit(4)'] }],
    },
    code: 'crash_loop',
    words: ['container broken', 'exit code 4'],
  },
];

/** What a deployment names and its namespace has not, or does not allow: its revision fails in words, and what served goes on. */
export function lackingSuite(cluster: () => ImageCluster): void {
  describe('a deployment of an image that names what is not there', () => {
    const chart = () => cluster().chart;
    const activeOf = async (deployment: Deployment) =>
      (await ask<Deployment>(chart(), ['GET', pathOf(deployment)])).body.active_revision_id;
    const name = async (slug: string) =>
      (await ask<{ name: string }>(chart(), ['GET', `/agents/${slug}/`])).body.name;
    const deployGood = (slug: string) =>
      cluster().deploy({ name: slug, image_uri: cluster().server('good') });
    const patchOf = ({ spec = {}, refers }: Partial<Lack>): DeploymentPatchRequest => {
      const reference = refers ?? { secret_name: WORDS, secret_key: 'word' };
      const text = JSON.stringify({
        source_config: { resource_spec: spec },
        secret_references: [{ name: 'REFERRED', ...reference }],
      });
      return JSON.parse(text.replaceAll(IMAGE, cluster().server('good'))) as DeploymentPatchRequest;
    };

    test.concurrent.each(lacks.map((row, at) => ({ ...row, slug: `lacking-${at}` })))(
      'when it names $what, then its revision says so, and the one before serves',
      async ({ slug, code, words, ...lack }) => {
        const { deployment, revision: before } = await deployGood(slug);
        const revision = await change(chart(), { deployment, patch: patchOf(lack) });
        expect(revision.status, JSON.stringify(revision.status_reason)).toMatch(/FAILED/);
        const reason = revision.status_reason;
        expect(reason, JSON.stringify(reason)).toMatchObject({ phase: 'start', code });
        for (const word of words) expect(reason?.message).toContain(word);
        expect(await activeOf(deployment)).toBe(before.id);
        expect(await name(slug)).toBe('good');
      },
    );

    test('when a volume can’t be mounted for now, then its log says so, and the one before serves', async () => {
      const slug = 'unmounted';
      const { deployment } = await deployGood(slug);
      const { source } = volume_kinds.csi;
      const patch = patchOf({ spec: mounting({ csi: source }) });
      const { body } = await ask<Deployment>(chart(), ['PATCH', pathOf(deployment), patch]);
      const path = `${pathOf(deployment)}/revisions/${body.latest_revision_id}`;
      await eventually(
        async () => {
          const log = await ask<unknown>(chart(), ['GET', `${path}/logs?type=deploy&limit=1000`]);
          expect(JSON.stringify(log.body)).toContain('The volume odd can’t be mounted');
        },
        { within_ms: 60_000 },
      );
      const pods: readonly Pod[] = await cluster().podsOf(slug);
      const volumes = pods.flatMap(({ spec }) => spec.volumes ?? []);
      expect(volumes).toContainEqual({ name: 'odd', csi: source });
      expect(await name(slug)).toBe('good');
      // It would be waited for some minutes more.
      expect((await ask(chart(), ['POST', `${path}/interruption`])).status).toBeLessThan(300);
      const revision = await change(chart(), { deployment, patch: patchOf({}) });
      expect(revision, JSON.stringify(revision.status_reason)).toMatchObject({ status: 'DEPLOYED' });
    });
  });
}
