import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Seals texts for the database: `v1.{key id}.{nonce}.{ciphertext}`, AES-256-GCM, bound to the row by `row`. */
export interface SecretBox {
  seal(text: string, row: string): string;
  /** Throws when the key is gone, the row is another one, or the text was changed. */
  open(sealed: string, row: string): string;
  /** Texts of keys for a box elsewhere, the same each time: one derived from each key here, in their order. */
  keysFor(name: string): string[];
}

/** @param secrets The keys' texts; the first one seals, all of them open. */
export function createSecretBox(secrets: readonly string[]): SecretBox {
  const keys = secrets.map((secret) => {
    const key = createHash('sha256').update(`roadstead secret box:${secret}`).digest();
    return { key, id: createHash('sha256').update(key).digest('hex').slice(0, 8) };
  });
  const [first] = keys;
  if (first === undefined) throw new Error('A secret box needs at least one key.');
  return {
    keysFor: (name) =>
      keys.map(({ key }) =>
        createHmac('sha256', key).update(`roadstead keys for:${name}`).digest('base64url'),
      ),
    seal(text, row) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(Buffer.from(row));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${nonce.toString('base64url')}.${body.toString('base64url')}`;
    },
    open(sealed, row) {
      const [version, id, nonce, body] = sealed.split('.');
      const found = keys.find((key) => key.id === id);
      if (version !== 'v1' || found === undefined || nonce === undefined || body === undefined) {
        throw new Error(
          'A sealed secret names an encryption key that is not configured (ROADSTEAD_SECRET_KEY).',
        );
      }
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', found.key, Buffer.from(nonce, 'base64url'))
        .setAAD(Buffer.from(row))
        .setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
