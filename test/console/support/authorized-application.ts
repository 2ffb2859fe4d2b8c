import { createHash, randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { api, platform } from './console.ts';

/** An application of this name, which whoever is signed in on the page authorizes. @returns its access token */
export async function authorizeApplication(page: Page, client_name: string): Promise<string> {
  const callback = 'http://127.0.0.1:49999/callback';
  const body = { client_name, redirect_uris: [callback] };
  const { client_id } = await api<{ client_id: string }>('/oauth/register', { method: 'POST', body });
  const code_verifier = randomBytes(32).toString('base64url');
  const asked = {
    client_id,
    response_type: 'code',
    redirect_uri: callback,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  await page.goto(`${platform.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`);
  // Nobody listens there: the address holds the code.
  const sent = page.waitForRequest((request) => request.url().startsWith(callback));
  await page.getByRole('button', { name: 'Authorize' }).click();
  const code = new URL((await sent).url()).searchParams.get('code') ?? '';
  const answer = await fetch(`${platform.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      redirect_uri: callback,
      code,
      code_verifier,
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { access_token: string }).access_token;
}
