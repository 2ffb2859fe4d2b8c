import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dataHome, freePort, startPlatform } from '../support/platform.ts';
import { consent, register, Person } from '@roadstead/testing/oauth';

/** The scenarios of the protocol's own kit for authorization servers, with somebody who consents. */

const KIT = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

test('when the MCP conformance kit runs, then the authorization server passes its scenarios', async () => {
  await using home = await dataHome();
  await using platform = await startPlatform(home.path);
  const port = await freePort();
  const { client_id } = await register(platform.url, {
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  const args = [
    '--url',
    platform.url,
    '--client-id',
    client_id,
    '--resource',
    `${platform.url}/mcp`,
    '-p',
    `${port}`,
  ];
  const kit = spawn(process.execPath, [KIT, 'authorization', ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home.path, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => kit.once('close', resolve));
  let out = '';
  kit.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await expect.poll(() => out).toContain('Callback server started');
  const [address = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(out) ?? [];
  await fetch(await consent(new Person(), { address, credential: { key: platform.key } }));
  expect(await ended).toBe(0);
  expect(out).toContain('✓ authorization-server-metadata-endpoint: 2 passed, 0 failed');
  expect(out).toContain('✓ authorization-code-grant: 1 passed, 0 failed');
});
