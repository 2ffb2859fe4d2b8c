import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { answerOf, callA2a, type RunningPlatform, userMessage } from '../support/platform.ts';

/**
 * Deploys an agent that prints and throws its secrets, by these words of the command line.
 * @returns the texts in which others would find them, that hold one
 */
export async function leaksOf(
  platform: RunningPlatform,
  { name, what }: { readonly name: string; readonly what: readonly string[] },
): Promise<readonly string[]> {
  const canary = 'canary-5f3a9c71d2';
  const pem = '-----BEGIN-----\nCANARYLINE1\nCANARYLINE2\n-----END-----';
  const secrets = [`MY_SECRET=${canary}`, `MY_PEM=${pem}`].flatMap((one) => ['--secret', one]);
  const deployed = await platform.run('deploy', ...what, '--name', name, ...secrets);
  expect([deployed.code, deployed.stderr]).toEqual([0, expect.any(String)]);
  const say = (text: string) => callA2a(platform, name, 'message/send', userMessage(text));
  const printed = await say('print');
  expect(answerOf(printed.result)).toBe(
    createHash('sha256')
      .update(canary + pem)
      .digest('hex'),
  );
  const thrown = await say('throw');
  expect(thrown.result.status).toMatchObject({
    state: 'failed',
    message: { parts: [{ text: expect.stringMatching(/^The agent failed; .* log, under [\da-f-]{36}\.$/) }] },
  });
  const serverLog = async () => (await platform.run('logs', name)).stdout;
  await expect.poll(serverLog).toContain('the secret is ********');
  await expect.poll(serverLog).toMatch(/Run [\da-f-]{36} failed: .*\*{8} does not work/s);
  const texts = [
    deployed.stdout + deployed.stderr,
    await (await platform.fetch(`${platform.url}/v2/deployments?limit=100`)).text(),
    await (await platform.fetch(`${platform.url}/v2/events?page_size=100`)).text(),
    (await platform.run('logs', name, '--build')).stdout,
    await serverLog(),
    await readFile(join(platform.folder, 'logs', 'platform.log'), 'utf8'),
  ];
  expect(texts[1]).toContain('MY_SECRET');
  return texts.filter((text) => /canary-5f3a9c71d2|CANARYLINE/.test(text));
}
