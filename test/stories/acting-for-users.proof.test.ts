import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { pythonWith } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { needsLanguage } from '../support/languages.ts';
import { useActingProvider } from './acting-provider.ts';
import { actsForUsers } from './acting-story.ts';

/** Users let agents act for them at an OAuth provider, by the original’s client library. */

const python = useFixture(() => pythonWith(['langchain-auth==0.3.0']));
const provider = useActingProvider();
const { home, platform, server, connect } = provider;

test('when a graph in Python asks for consent by an interrupt, then it goes on over A2A', async (context) => {
  needsLanguage('python', context);
  const folder = fileURLToPath(new URL('../agents/python', import.meta.url));
  const answer = await actsForUsers(provider, { name: 'acting', what: [folder, '--config', 'acting.json'] });
  expect(answer).toMatch(/^mail of anna by a token of \d+ characters$/);
});

const PROGRAM = `
import asyncio, os
from langchain_auth import Client

async def main():
    client = Client(api_key=os.environ["KEY"], api_url=os.environ["URL"])
    known = [one.provider_id for one in await client.list_oauth_providers()]
    made = await client.create_oauth_provider(
        "post", "Post", "roadstead", os.environ["CLIENT_SECRET"],
        os.environ["SERVER"] + "/auth", os.environ["SERVER"] + "/token", uses_pkce=True)
    assert made.provider_id == "post" and made.uses_pkce and made.code_challenge_method == "S256", made
    updated = await client.update_oauth_provider("post", name="Mail")
    assert updated.name == "Mail" and (await client.get_oauth_provider("post")).id == made.id
    assert {one.provider_id for one in await client.list_oauth_providers()} == {*known, "post"}
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

test('when langchain-auth of PyPI is used, then everything that it can do works', async ({ skip }) => {
  const client = python();
  if (typeof client === 'string') return skip(client);
  const file = join(home(), 'address');
  await rm(file, { force: true });
  const ran = client.run(PROGRAM, {
    KEY: platform().key,
    URL: platform().url,
    SERVER: server().url,
    CLIENT_SECRET: server().client.client_secret,
    FILE: file,
  });
  const address = async () => readFile(file, 'utf8').catch(() => '');
  const ended = ran.then(() => '');
  await expect.poll(async () => Promise.race([ended, address()])).not.toBe('');
  expect(await connect(await address())).toContain('A program');
  await ran;
});
