import type { Deployment } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { ask, latestSettled, openImagePlatform, runBesideEngine } from './deployed/image-platform.ts';
import { useTestImages } from './deployed/images.ts';
import { can_build, docker } from './engine.ts';

/** An image of this machine, pushed to the platform's own registry by the user's engine, and fetched from there again to be served. */
describe.skipIf(!can_build)('pushed images (ROADSTEAD_TEST_ENGINE, ROADSTEAD_TEST_BASE_IMAGE)', () => {
  const images = useTestImages();
  const platform = useFixture(openImagePlatform);
  const NAME = 'pushed';

  const push = async (image: string) =>
    runBesideEngine(platform().running, 'deploy', '--image', image, '--push', '--name', NAME);
  const find = async () => {
    const { body } = await ask<{ resources: Deployment[] }>(platform().running, [
      'GET',
      `/v2/deployments?name=${NAME}`,
    ]);
    return body.resources[0] as Deployment;
  };
  const answer = async () =>
    (await ask<{ name: string }>(platform().running, ['GET', `/agents/${NAME}/`])).body.name;
  const namesOnEngine = () => docker('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');

  test('when an image is pushed, then the registry has it, and it answers', async () => {
    const { code, stdout, stderr } = await push(await images().server('first'));
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(await answer()).toBe('first');
    const deployment = await find();
    expect(deployment.source).toBe('internal_image');
    const { source_revision_config } = await latestSettled(platform().running, deployment);
    const { host } = new URL(platform().running.url);
    const port = host.split(':')[1] ?? '';
    const uri = source_revision_config.image_uri ?? '';
    expect(uri).toMatch(new RegExp(`:${port}/.+/${NAME}@sha256:[0-9a-f]{64}$`));
    // Its name at the registry goes from the engine again; what runs has one by its digest.
    expect(namesOnEngine().filter((one) => one.includes(`:${port}/`) && !one.endsWith(':<none>'))).toEqual(
      [],
    );
  });

  test('when another image is pushed there, then that answers', async () => {
    const { id } = await find();
    const { code, stdout, stderr } = await push(await images().server('second'));
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect([await answer(), (await find()).id]).toEqual(['second', id]);
  });

  test('when the image is not there, then the engine’s words are told, and what serves goes on', async () => {
    const { code, stderr } = await push('localhost/roadstead-none:1');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/docker could not push the image: .*No such image/),
    ]);
    expect(await answer()).toBe('second');
  });
});
