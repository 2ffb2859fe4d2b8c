import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReplicaKeys, secretNames } from './replica-settings.ts';

/** The keys of an installation lie in its folder, so that it can be started there again. */
export async function readReplicaKeys(folder: string): Promise<ReplicaKeys> {
  const path = join(folder, 'replica-keys.json');
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as ReplicaKeys;
  const { privateKey } = generateKeyPairSync('ed25519');
  const keys: ReplicaKeys = {
    secrets: Object.fromEntries(
      secretNames.map((name) => [name, `rs_${name}_${crypto.randomUUID()}`]),
    ) as ReplicaKeys['secrets'],
    workspace_id: crypto.randomUUID(),
    listener_id: crypto.randomUUID(),
    signing_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  await writeFile(path, JSON.stringify(keys), { mode: 0o600 });
  // Commands of stories read them where `up` has them.
  await writeFile(join(folder, 'api-key'), `${keys.secrets.api}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'listener-id'), `${keys.listener_id}\n`);
  return keys;
}
