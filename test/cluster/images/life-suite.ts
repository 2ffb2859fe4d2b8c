import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { eventually } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ask, change, latestSettled, pathOf, secretsOf } from '../../images/deployed/image-platform.ts';
import type { ImageCluster } from './image-cluster.ts';
import { serverImage } from './server-image.ts';

/** The specification's table with an image: create, poll, change what makes a revision, roll back, delete. */
export function lifeSuite(cluster: () => ImageCluster): void {
  describe('a deployment of an image', () => {
    const NAME = 'life';
    const chart = () => cluster().chart;
    let deployment: Deployment;
    let created: Revision;

    /** What the server says of itself. */
    const said = async (path = '/') =>
      (await ask<{ name: string; secret?: string; url: string }>(chart(), ['GET', `/agents/${NAME}${path}`]))
        .body;

    test('when it is created, then its first revision comes to serve, by the digest of the image', async () => {
      const image_uri = cluster().server('first');
      const secrets = { SECRET: 'one' };
      ({ deployment, revision: created } = await cluster().deploy({ name: NAME, image_uri, secrets }));
      expect(deployment).toMatchObject({ source: 'external_image', latest_revision_id: created.id });
      const digest = image_uri.replace(/:1$/, '@sha256:');
      expect(created.artifact_image).toMatch(new RegExp(`^${digest}[0-9a-f]{64}$`));
      expect(await said()).toMatchObject({ name: 'first', secret: 'one' });
      const [pod] = await cluster().podsOf(NAME);
      expect(pod?.spec.containers).toMatchObject([{ name: 'server', image: created.artifact_image }]);
    });

    test('when its card and its facts are read, then they are its own', async () => {
      for (const path of ['/info', '/.well-known/agent-card.json'])
        expect(await said(path)).toMatchObject({ name: 'first', url: path });
    });

    test('when its secrets change, then a new revision of the same image serves with them', async () => {
      const patch = { secrets: secretsOf({ SECRET: 'two' }) };
      const revision = await change(chart(), { deployment, patch });
      expect(revision).toMatchObject({ status: 'DEPLOYED', artifact_image: created.artifact_image });
      expect(await said()).toMatchObject({ name: 'first', secret: 'two' });
    });

    test('when its image changes, then a new revision serves that one, and pods of the old one go', async () => {
      const image_uri = cluster().server('second');
      const revision = await change(chart(), {
        deployment,
        patch: { source_revision_config: { image_uri } },
      });
      expect(revision).toMatchObject({ status: 'DEPLOYED', image_uri });
      expect(await said()).toMatchObject({ name: 'second', secret: 'two' });
      await eventually(async () => {
        const pods = await cluster().podsOf(NAME);
        expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual([revision.artifact_image]);
      });
    });

    test('when it is rolled back, then the old digest serves, whatever its tag is; nothing is built', async () => {
      const { registry, layer } = cluster();
      registry.add('server-first', serverImage(layer, { name: 'another' }));
      const path = `${pathOf(deployment)}/revisions/${created.id}/redeploy`;
      expect((await ask(chart(), ['POST', path])).status).toBeLessThan(300);
      const revision = await latestSettled(chart(), deployment);
      expect(revision).toMatchObject({
        status: 'DEPLOYED',
        artifact_image: created.artifact_image,
        rollback_of: created.id,
      });
      const phases = revision.phases.map(({ phase }) => phase);
      expect(phases.filter((phase) => ['source', 'install', 'build'].includes(phase))).toEqual([]);
      expect(await said()).toMatchObject({ name: 'first', secret: 'one' });
    });

    test('when it is deleted, then it is gone, and all that it had in the cluster', async () => {
      expect((await ask(chart(), ['DELETE', pathOf(deployment)])).status).toBe(204);
      const kinds = 'pods,deployments,secrets,configmaps,poddisruptionbudgets';
      await eventually(async () => {
        expect((await ask(chart(), ['GET', pathOf(deployment)])).status).toBe(404);
        expect((await ask(chart(), ['GET', `/agents/${NAME}/`])).status).toBe(404);
        const labels = `roadstead.dev/deployment-id=${deployment.id}`;
        expect(await chart().kubectlOfAgents('get', kinds, '-l', labels, '-o', 'name')).toBe('');
      });
    });
  });
}
