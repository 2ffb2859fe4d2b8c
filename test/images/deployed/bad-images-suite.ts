import type { Deployment } from '@roadstead/contracts/control-plane';
import { eventually } from '@roadstead/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bad_behaviours } from './bad-behaviours.ts';
import { openEmptyRegistry } from './empty-registry.ts';
import { loadForeignImage } from './foreign-image.ts';
import { makeChanged } from './image-makers.ts';
import {
  ask,
  change,
  containersOf,
  deploy,
  type ImagePlatform,
  pathOf,
  secretsOf,
} from './image-platform.ts';
import { idOf, type TestImages } from './images.ts';

interface BadImage {
  readonly what: string;
  /** Makes it of a server that works; without this it is that one. */
  readonly image?: (server: string) => string | Promise<string>;
  /** How the server behaves. */
  readonly behaves?: string;
  readonly code: string;
  readonly phase: string;
  readonly words: string;
}

/** Images that can't serve: each is a sentence in its revision, while the one before goes on serving. */
export function badImagesSuite(platform: () => ImagePlatform, images: () => TestImages): void {
  const running = () => platform().running;
  const changed = (line: string) => (server: string) =>
    makeChanged({ tag: images().newTag(), base: server, line });
  const registries: AsyncDisposable[] = [];
  const bad: readonly BadImage[] = [
    {
      what: 'is not there',
      image: async () => {
        const registry = await openEmptyRegistry();
        registries.push(registry);
        return `${registry.name}/agent:1`;
      },
      phase: 'source',
      code: 'image_not_found',
      words: 'Its registry has no image',
    },
    {
      what: 'is of another architecture',
      image: () => loadForeignImage(images().newTag()),
      phase: 'source',
      code: 'image_platform',
      words: 'is for linux/s390x',
    },
    {
      what: 'names graphs that are none',
      image: changed('ENV LANGSERVE_GRAPHS={'),
      phase: 'start',
      code: 'image_config',
      words: 'LANGSERVE_GRAPHS is not JSON',
    },
    {
      what: 'has an entrypoint that is not in it',
      image: changed('ENTRYPOINT ["/nowhere"]'),
      phase: 'start',
      code: 'server_ended',
      words: 'exit code 127',
    },
    ...bad_behaviours,
  ];

  describe('images that cannot serve', () => {
    let server = '';
    let deployment: Deployment;
    beforeAll(async () => {
      server = await images().server('good');
      ({ deployment } = await deploy(running(), { name: 'bad', image_uri: server }));
      const resource_spec = { memory_limit_mb: 128 };
      await change(running(), { deployment, patch: { source_config: { resource_spec } } });
    });
    afterAll(async () => {
      for (const one of registries) await one[Symbol.asyncDispose]();
    });
    const name = async (slug = 'bad') =>
      (await ask<{ name: string }>(running(), ['GET', `/agents/${slug}/`])).body.name;

    test.each(bad)(
      'when an image $what, then its revision says so, and the one before serves',
      async (row) => {
        const { active_revision_id: before } = await read(deployment);
        const image_uri = (await row.image?.(server)) ?? server;
        const patch = {
          source_revision_config: { image_uri },
          secrets: secretsOf({ BEHAVES: row.behaves ?? 'works' }),
        };
        const revision = await change(running(), { deployment, patch });
        expect(revision.status).toMatch(/FAILED/);
        expect(revision.status_reason).toMatchObject({
          phase: row.phase,
          code: row.code,
          message: expect.stringContaining(row.words) as string,
        });
        expect((await read(deployment)).active_revision_id).toBe(before);
        expect(await name()).toBe('good');
      },
    );

    const read = async ({ id }: Deployment) =>
      (await ask<Deployment>(running(), ['GET', pathOf({ id })])).body;

    test('when a server ignores SIGTERM, then it is gone all the same once its deployment is', async () => {
      const secrets = { BEHAVES: 'ignores SIGTERM' };
      const image_uri = await images().server('stubborn');
      const { deployment: stubborn } = await deploy(running(), { name: 'stubborn', image_uri, secrets });
      expect(await name('stubborn')).toBe('stubborn');
      expect(containersOf(idOf(image_uri))).toHaveLength(1);
      expect((await ask(running(), ['DELETE', pathOf(stubborn)])).status).toBe(204);
      await eventually(() => expect(containersOf(idOf(image_uri))).toEqual([]));
    });

    test('when a server fills its log, then it serves, and neither disk nor database fills', async () => {
      const image_uri = await images().server('loud');
      const secrets = { BEHAVES: 'fills its log' };
      const { deployment: loud, revision } = await deploy(running(), { name: 'loud', image_uri, secrets });
      const lines = async (more = '') => {
        const path = `${pathOf(loud)}/revisions/${revision.id}/logs?type=deploy&limit=1000${more}`;
        return JSON.stringify((await ask<unknown>(running(), ['GET', path])).body);
      };
      await eventually(async () =>
        expect(await lines('&query=are left out here')).toContain('a second are kept'),
      );
      expect(await name('loud')).toBe('loud');
      const [container] = containersOf(idOf(image_uri));
      expect(container?.HostConfig.LogConfig.Type).toBe('none');
      const deleted = await ask(running(), ['DELETE', pathOf(loud)]);
      expect(deleted.status, JSON.stringify(deleted.body)).toBe(204);
      await eventually(() => expect(containersOf(idOf(image_uri))).toEqual([]));
    });
  });
}
