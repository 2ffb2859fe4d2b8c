import {
  askForTokens,
  authorization,
  consent,
  Person,
  register,
  type Tokens,
} from '@roadstead/testing/oauth';
import type { RunningPlatform } from '../support/platform.ts';

const REDIRECT = 'http://127.0.0.1:53122/callback';

/** An application that the holder of the first key has authorized. */
export async function authorizeApplication({
  url,
  key,
}: Pick<RunningPlatform, 'url' | 'key'>): Promise<{ readonly client_id: string; readonly tokens: Tokens }> {
  const { client_id } = await register(url, { client_name: 'Load', redirect_uris: [REDIRECT] });
  const { address, verifier } = authorization(url, { client_id, redirect_uri: REDIRECT });
  const called = await consent(new Person(), { address, credential: { key } });
  const { body } = await askForTokens(url, {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: REDIRECT,
    code: called.searchParams.get('code') ?? '',
    code_verifier: verifier,
  });
  return { client_id, tokens: body };
}
