import { useFixture } from '@roadstead/testing';
import { type OAuthServer, Person, startOAuthServer, visit } from '@roadstead/testing/oauth';
import { expect } from 'vitest';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';

/** A platform, and an OAuth provider at which its users let agents act for them. */
export interface ActingProvider {
  readonly home: () => string;
  readonly platform: () => RunningPlatform;
  readonly server: () => OAuthServer;
  /** What a person does who is given an address: sign in and consent there, and press the button here. */
  readonly connect: (address: string) => Promise<string>;
}

export function useActingProvider(): ActingProvider {
  const home = useFixture(dataHome);
  const platform = useFixture(() => {
    const env = { ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1' };
    return startPlatform(home().path, { env });
  });
  const server = useFixture(() => {
    const redirect_uris = ['mail', 'post'].map((id) => `${platform().url}/v2/auth/callback/${id}`);
    return startOAuthServer({ redirect_uris });
  });
  return {
    home: () => home().path,
    platform,
    server,
    connect: (address) => connectAt(platform(), address),
  };
}

async function connectAt(platform: RunningPlatform, address: string): Promise<string> {
  const person = new Person();
  await person.open((await visit(address, `${platform.url}/v2/auth/callback/`)).href);
  const asked = person.page.text;
  const answered = await person.submit({ do: 'connect' });
  expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('Mail is connected')]);
  return asked;
}
