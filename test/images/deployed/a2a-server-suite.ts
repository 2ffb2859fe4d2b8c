import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { can_build_python } from '../engine.ts';
import { deploy, type ImagePlatform } from './image-platform.ts';
import type { TestImages } from './images.ts';

const CLIENT = fileURLToPath(new URL('../recipes/a2a-client.py', import.meta.url));
const PACKAGES = ['a2a-sdk[http-server,signing]==1.3.0', 'httpx==0.28.1', 'PyJWT==2.15.1'];

/** A server that the A2A SDK for Python serves, in an image of its own. */
export function a2aServerSuite(platform: () => ImagePlatform, images: () => TestImages): void {
  test('when an image serves A2A itself, then clients find its card and speak to it by our address', async ({
    skip,
  }) => {
    skip(!can_build_python, 'ROADSTEAD_TEST_PYTHON_IMAGE names none.');
    const python = await pythonWith(PACKAGES);
    if (typeof python === 'string') return skip(python);
    const { running } = platform();
    const address = `${running.url}/agents/own-card`;
    const image_uri = await images().a2aServer();
    await deploy(running, { name: 'own-card', image_uri, secrets: { PUBLIC_URL: `${address}/` } });
    const told = await python.run(await readFile(CLIENT, 'utf8'), { AGENT: address, KEY: running.key });
    expect(JSON.parse(told)).toEqual(['Echo of an image', `${address}/`, 'Echo: Hi', 'Echo: Hi']);
    const unknown = await fetch(`${address}/.well-known/agent-card.json`);
    expect(unknown.status).toBe(401);
  });
}
