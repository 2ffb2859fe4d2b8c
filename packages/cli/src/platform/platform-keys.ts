import { createSigningKey } from '@roadstead/http';
import { type Config, randomToken } from '@roadstead/kit';
import type { DataFolder } from './data-folder.ts';
import type { platformSettings } from './platform-config.ts';

export type PlatformKeys = Awaited<ReturnType<typeof readKeys>>;

/**
 * The keys and ids of an installation: given by the environment, or generated at first start, each in a file of its
 * own.
 */
export async function readKeys(folder: DataFolder, config: Config<typeof platformSettings>) {
  return {
    api_key: config.api_key ?? (await folder.secret('api-key', () => `rs_${randomToken(32)}`)),
    workspace_id: config.workspace_id ?? (await folder.secret('workspace-id', () => crypto.randomUUID())),
    secret_keys: (config.secret_key ?? (await folder.secret('secret-key', () => randomToken(32)))).split(','),
    signing_key: Buffer.from(
      await folder.secret('signing-key', () => Buffer.from(createSigningKey()).toString('base64')),
      'base64',
    ).toString(),
    address_secret: await folder.secret('address-secret', () => randomToken(32)),
    listener_id: await folder.secret('listener-id', () => crypto.randomUUID()),
  };
}
