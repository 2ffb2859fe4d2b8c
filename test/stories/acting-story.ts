import { expect } from 'vitest';
import { answerOf, callA2a, userMessage } from '../support/platform.ts';
import type { ActingProvider } from './acting-provider.ts';

/** An agent asks for a user’s consent by an interrupt, and goes on over A2A once it has it. @returns its answer */
export async function actsForUsers(
  { platform, server, connect }: ActingProvider,
  { name, what }: { readonly name: string; readonly what: readonly string[] },
): Promise<string> {
  const made = await platform().fetch(`${platform().url}/v2/auth/providers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      provider_id: 'mail',
      name: 'Mail',
      ...server().client,
      auth_url: `${server().url}/auth`,
      token_url: `${server().url}/token`,
      uses_pkce: true,
    }),
  });
  expect(made.status).toBe(200);
  expect((await platform().run('deploy', ...what, '--name', name)).stdout).toContain('DEPLOYED');
  const send = async (text: string, more: object = {}) =>
    (await callA2a(platform(), name, 'message/send', userMessage(text, more))).result;
  const asked = await send('anna');
  expect(asked.status.state).toBe('input-required');
  const [part] = asked.status.message?.parts ?? [];
  const { data } = part as unknown as { data: Record<string, unknown> };
  expect(data).toEqual({
    message: expect.stringContaining("provider 'mail'"),
    auth_url: expect.stringContaining(`${server().url}/auth?`),
    provider: 'mail',
    scopes: ['mail'],
  });
  const page = await connect(String(data['auth_url']));
  for (const said of [name, 'anna']) expect(page).toContain(said);
  const done = await send('done', { taskId: asked.id, contextId: asked.contextId });
  expect(done.status.state).toBe('completed');
  // Another user is asked for consent of their own; this one is not asked again.
  expect((await send('ben')).status.state).toBe('input-required');
  expect((await send('anna')).status.state).toBe('completed');
  return answerOf(done);
}
