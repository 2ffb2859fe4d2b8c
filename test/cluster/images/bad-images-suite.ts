import type { Deployment, DeploymentPatchRequest, Revision } from '@roadstead/contracts/control-plane';
import { eventually } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { bad_behaviours } from '../../images/deployed/bad-behaviours.ts';
import { ask, change, latestSettled, pathOf, secretsOf } from '../../images/deployed/image-platform.ts';
import { apply } from '../installed-chart.ts';
import { FURTHER, type ImageCluster } from './image-cluster.ts';
import { OWN_ARCHITECTURE, serverImage } from './server-image.ts';

interface BadImage {
  readonly what: string;
  /** Without this it is a server that works. */
  readonly image?: (cluster: ImageCluster) => string;
  /** How the server behaves. */
  readonly behaves?: string;
  readonly phase: string;
  /** Which of several is told depends on what the listener sees first. */
  readonly code: string | RegExp;
  readonly words: string | RegExp;
}

const bad: readonly BadImage[] = [
  {
    what: 'is not there',
    image: ({ registry }) => `${registry.name}/nothing:1`,
    phase: 'source',
    code: 'image_not_found',
    words: 'Its registry has no image',
  },
  {
    what: 'is of another architecture',
    image: ({ registry, layer }) =>
      registry.add('foreign', serverImage(layer, { name: 'foreign', architecture: 's390x' })),
    phase: 'source',
    code: 'image_platform',
    words: `is not for linux/${OWN_ARCHITECTURE}`,
  },
  {
    what: 'is given to nobody without a login',
    image: ({ closed, layer }) => closed.add('denied', serverImage(layer, { name: 'denied' })),
    phase: 'source',
    code: 'image_denied',
    words: 'does not give out',
  },
  {
    what: 'names graphs that are none',
    image: (cluster) => cluster.server('graphs', { Env: ['LANGSERVE_GRAPHS={'] }),
    phase: 'start',
    code: 'image_config',
    words: 'LANGSERVE_GRAPHS is not JSON',
  },
  {
    what: 'has an entrypoint that is not in it',
    image: (cluster) => cluster.server('entrypoint', { Entrypoint: ['/nowhere'] }),
    phase: 'start',
    code: /^(?:server_ended|image_entrypoint)$/,
    words: /could not be started|\/nowhere/,
  },
  {
    what: 'runs as root',
    image: (cluster) => cluster.server('root', { User: '0' }),
    phase: 'start',
    code: 'image_runs_as_root',
    words: 'runs as root',
  },
  ...bad_behaviours,
];

/** What can’t serve in a cluster: each is a sentence in its revision, while the one before goes on serving. */
export function badImagesSuite(cluster: () => ImageCluster): void {
  const chart = () => cluster().chart;
  const name = async (slug: string) =>
    (await ask<{ name: string }>(chart(), ['GET', `/agents/${slug}/`])).body.name;

  describe('images that cannot serve in a cluster', () => {
    const rows = bad.map((row, at) => ({ ...row, slug: `bad-${at}` }));
    const source_config = { resource_spec: { memory_limit_mb: 128 } };

    test.concurrent.each(rows)(
      'when an image $what, then its revision says so, and the one before serves',
      async ({ slug, image, behaves = 'works', phase, code, words }) => {
        const server = cluster().server('good');
        const asked = { name: slug, image_uri: server, source_config };
        const { deployment, revision: before } = await cluster().deploy(asked);
        const revision = await change(chart(), {
          deployment,
          patch: {
            source_revision_config: { image_uri: image?.(cluster()) ?? server },
            secrets: secretsOf({ BEHAVES: behaves }),
          },
        });
        expect(revision.status).toMatch(/FAILED/);
        expect(revision.status_reason).toMatchObject({
          phase,
          code: expect.stringMatching(code) as string,
          message: expect.stringMatching(words) as string,
        });
        const { body } = await ask<Deployment>(chart(), ['GET', pathOf(deployment)]);
        expect(body.active_revision_id).toBe(before.id);
        expect(await name(slug)).toBe('good');
      },
    );
  });

  describe('a namespace that does not take a server', () => {
    const NAME = 'hemmed-in';
    let deployment: Deployment;
    const namespace = () => chart().further(FURTHER);
    beforeAll(async () => {
      const image_uri = cluster().server('before');
      ({ deployment } = await cluster().deploy({ name: NAME, image_uri }, namespace()));
    });

    test('when its quota is full, then its log says so, and it serves once there is room', async () => {
      const quota = (pods: string) => ({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few', namespace: namespace() },
        spec: { hard: { pods } },
      });
      await apply(quota('1'));
      const patch: DeploymentPatchRequest = {
        source_revision_config: { image_uri: cluster().server('after') },
      };
      const { body } = await ask<Deployment>(chart(), ['PATCH', pathOf(deployment), patch]);
      const path = `${pathOf(deployment)}/revisions/${body.latest_revision_id}/logs?type=deploy&limit=1000`;
      await eventually(async () => {
        const log = JSON.stringify((await ask<unknown>(chart(), ['GET', path])).body);
        expect(log).toContain('The quota few of the namespace is full');
      }, WITHIN);
      expect(await name(NAME)).toBe('before');
      await apply(quota('2'));
      const revision = await latestSettled(chart(), deployment);
      expect(revision, JSON.stringify(revision.status_reason)).toMatchObject({ status: 'DEPLOYED' });
      expect(await name(NAME)).toBe('after');
    });

    test('when it is deleted, then the next revision says so, and the others go on', async () => {
      await chart().kubectl('delete', 'namespace', namespace(), '--timeout=120s');
      const patch: DeploymentPatchRequest = {
        source_revision_config: { image_uri: cluster().server('later') },
      };
      const revision: Revision = await change(chart(), { deployment, patch });
      expect(revision.status).toMatch(/FAILED/);
      expect(revision.status_reason).toMatchObject({
        phase: 'start',
        message: expect.stringMatching(/cluster|namespace/) as string,
      });
      expect(await name('bad-0')).toBe('good');
    });
  });
}

const WITHIN = { within_ms: 60_000 };
