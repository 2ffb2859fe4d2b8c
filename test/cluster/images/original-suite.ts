import { useFolder } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ask, pathOf } from '../../images/deployed/image-platform.ts';
import { useTestImages } from '../../images/deployed/images.ts';
import { can_build, can_build_musl, can_build_python } from '../../images/engine.ts';
import type { ImageCluster } from './image-cluster.ts';
import { savedImage } from './saved-image.ts';

/** Images that `langgraph build` of the original made, unchanged, whose graphs pods of a cluster run. */
export function originalSuite(cluster: () => ImageCluster): void {
  describe('images of the original (ROADSTEAD_TEST_ENGINE, ROADSTEAD_TEST_BASE_IMAGE)', () => {
    const folder = useFolder('roadstead-saved-');
    const images = useTestImages();

    const buildable = [
      ['javascript', 'glibc', can_build],
      ['javascript', 'musl', can_build_musl],
      ['python', 'glibc', can_build_python],
    ] as const;
    test.for(buildable)(
      'when one of an agent in %s with %s is deployed, then it answers runs',
      async ([language, libc, can_be], { skip, onTestFinished }) => {
        skip(!can_be, 'No image is named that it can be made of.');
        const { chart, registry, deploy, podsOf } = cluster();
        const image = await images().original(language, { libc });
        if (typeof image === 'string') throw new Error(image);
        const name = `original-${language}-${libc}`;
        const image_uri = registry.add(name, await savedImage(image.tag, folder()));
        const { deployment, revision } = await deploy({ name, image_uri });
        // The node has no room for the hosts of all of them.
        onTestFinished(async () => void (await ask(chart, ['DELETE', pathOf(deployment)])));
        const { status, body } = await ask<{ messages: { content: string }[] }>(chart, [
          'POST',
          `/agents/${name}/runs/wait`,
          { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'hello' }] } },
        ]);
        expect(status, JSON.stringify(body)).toBe(200);
        expect(body.messages.at(-1)?.content).toBe(`${language} 1: hello`);
        const [pod] = await podsOf(name, 'graph-host');
        expect(pod?.spec.containers).toMatchObject([{ name: 'agent', image: revision.artifact_image }]);
      },
    );
  });
}
