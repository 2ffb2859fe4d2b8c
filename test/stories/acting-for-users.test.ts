import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { answerOf, callA2a, userMessage } from '../support/platform.ts';
import { useActingProvider } from './acting-provider.ts';

/** Users let agents act for them at an OAuth provider, from within a graph. The proof does so by the original’s client library. */

const { platform, server, connect } = useActingProvider();

const provider = (provider_id: string) => ({
  provider_id,
  name: 'Mail',
  ...server().client,
  auth_url: `${server().url}/auth`,
  token_url: `${server().url}/token`,
  uses_pkce: true,
});

test(
  'when a graph asks for consent by an interrupt, then it goes on over A2A once it has it',
  { timeout: 240_000 },
  async () => {
    const made = await platform().fetch(`${platform().url}/v2/auth/providers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(provider('mail')),
    });
    expect(made.status).toBe(200);
    const folder = fileURLToPath(new URL('../agents/acting', import.meta.url));
    expect((await platform().run('deploy', folder, '--name', 'acting')).stdout).toContain('DEPLOYED');
    const send = async (text: string, more: object = {}) =>
      (await callA2a(platform(), 'acting', 'message/send', userMessage(text, more))).result;
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
    for (const said of ['acting', 'anna']) expect(page).toContain(said);
    const done = await send('done', { taskId: asked.id, contextId: asked.contextId });
    expect(done.status.state).toBe('completed');
    expect(answerOf(done)).toMatch(/^mail of anna by a token of \d+ characters$/);
    // Another user is asked for consent of their own; this one is not asked again.
    expect((await send('ben')).status.state).toBe('input-required');
    expect((await send('anna')).status.state).toBe('completed');
  },
);
