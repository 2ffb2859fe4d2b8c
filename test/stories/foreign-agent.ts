import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { answerOf, type RunningPlatform, userMessage } from '../support/platform.ts';

const agents = fileURLToPath(new URL('../agents/', import.meta.url));

/** Deploys one of the agents of other people's making by the command line, as they would, and gives its answer. */
export async function deployForeign(
  platform: RunningPlatform,
  { name, options = [] }: { readonly name: string; readonly options?: readonly string[] },
): Promise<string> {
  const deployed = await platform.run('deploy', join(agents, name), '--name', name, ...options);
  expect(deployed.stderr + deployed.stdout).toContain('DEPLOYED');
  expect(deployed.code).toBe(0);
  const card = (await (
    await platform.fetch(`${platform.url}/agents/${name}/.well-known/agent-card.json`)
  ).json()) as { url: string };
  const path = new URL(card.url).pathname;
  const sent = await platform.fetch(platform.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: userMessage('hello') }),
  });
  const { result } = (await sent.json()) as { result: Parameters<typeof answerOf>[0] };
  expect(result.status.state).toBe('completed');
  return answerOf(result);
}
