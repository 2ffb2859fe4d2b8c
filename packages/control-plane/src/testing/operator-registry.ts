import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fixture, startFixture } from './fixture.ts';

/** A platform whose images are pushed to the registry of its operator, and a deployment of them. */
export async function startWithRegistry({
  registry,
  login,
  folder,
  share_login,
}: {
  readonly registry: string;
  /** `user:password` */
  readonly login: string;
  /** Where the file of logins is written. */
  readonly folder: string;
  readonly share_login?: boolean;
}): Promise<{ readonly fixture: Fixture; readonly id: string }> {
  const login_file = join(folder, 'config.json');
  const auth = Buffer.from(login).toString('base64');
  await writeFile(login_file, JSON.stringify({ auths: { [registry]: { auth } } }));
  const fixture = await startFixture({
    images: { registry_url: `${registry}/agents`, login_file, share_login, max_bytes: 1000, kept_days: 30 },
  });
  await fixture.listener().poll(0, ['image']);
  const { id } = await fixture.client().createDeployment({
    body: {
      name: 'support',
      source: 'internal_image',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    },
  });
  return { fixture, id };
}
