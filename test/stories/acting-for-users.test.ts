import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { Person, startOAuthServer, visit } from '@roadstead/testing/oauth';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';
import { pythonWith } from '@roadstead/testing/processes';

/** Users let agents act for them at an OAuth provider: by the original’s client library, and from within a graph. */

const home = useFixture(dataHome);
const platform = useFixture(() => {
  const env = { ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1' };
  return startPlatform(home().path, { env });
});
const server = useFixture(() => {
  const redirect_uris = ['mail', 'post'].map((id) => `${platform().url}/v2/auth/callback/${id}`);
  return startOAuthServer({ redirect_uris });
});

const provider = (provider_id: string) => ({
  provider_id,
  name: 'Mail',
  ...server().client,
  auth_url: `${server().url}/auth`,
  token_url: `${server().url}/token`,
  uses_pkce: true,
});

/** What a person does who is given an address: sign in and consent there, and press the button here. */
async function connect(address: string): Promise<string> {
  const person = new Person();
  await person.open((await visit(address, `${platform().url}/v2/auth/callback/`)).href);
  const asked = person.page.text;
  const answered = await person.submit({ do: 'connect' });
  expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('Mail is connected')]);
  return asked;
}

const PROGRAM = `
import asyncio, os
from langchain_auth import Client

async def main():
    client = Client(api_key=os.environ["KEY"], api_url=os.environ["URL"])
    made = await client.create_oauth_provider(
        "post", "Post", "roadstead", os.environ["CLIENT_SECRET"],
        os.environ["SERVER"] + "/auth", os.environ["SERVER"] + "/token", uses_pkce=True)
    assert made.provider_id == "post" and made.uses_pkce and made.code_challenge_method == "S256", made
    updated = await client.update_oauth_provider("post", name="Mail")
    assert updated.name == "Mail" and (await client.get_oauth_provider("post")).id == made.id
    assert [one.provider_id for one in await client.list_oauth_providers()] == ["post"]
    begun = await client.authenticate("post", ["mail"], user_id="anna")
    assert begun.status == "pending" and begun.token is None, begun
    assert not (await client.check_token_exists("post")).has_token
    with open(os.environ["FILE"] + ".part", "w") as file:
        file.write(begun.url)
    os.rename(os.environ["FILE"] + ".part", os.environ["FILE"])
    done = await client.wait_for_completion(begun.auth_id, timeout=60)
    assert done.status == "completed" and done.token, done
    again = await client.authenticate("post", ["mail"], user_id="anna")
    assert again.status == "completed" and again.token == done.token, again
    assert (await client.check_token_exists("post")).has_token
    revoked = await client.revoke_tokens("post")
    assert revoked.provider_id == "post" and not (await client.check_token_exists("post")).has_token
    try:
        await client.wait_for_completion("made-up", timeout=1)
        raise AssertionError("a flow that there is not")
    except Exception as error:
        assert "not found" in str(error), error
    pending = await client.authenticate("post", ["mail"], user_id="anna")
    try:
        await client.wait_for_completion(pending.auth_id, timeout=1)
        raise AssertionError("nobody consented")
    except TimeoutError:
        pass
    await client.delete_oauth_provider("post")

asyncio.run(main())
`;

test(
  'when langchain-auth of PyPI is used, then everything that it can do works',
  { timeout: 240_000 },
  async ({ skip }) => {
    const python = await pythonWith(['langchain-auth==0.3.0']);
    if (typeof python === 'string') return skip(python);
    const file = join(home().path, 'address');
    await rm(file, { force: true });
    const ran = python.run(PROGRAM, {
      KEY: platform().key,
      URL: platform().url,
      SERVER: server().url,
      CLIENT_SECRET: server().client.client_secret,
      FILE: file,
    });
    const address = async () => readFile(file, 'utf8').catch(() => '');
    const ended = ran.then(() => '');
    await expect.poll(async () => Promise.race([ended, address()]), { timeout: 60_000 }).not.toBe('');
    expect(await connect(await address())).toContain('A program');
    await ran;
  },
);

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
