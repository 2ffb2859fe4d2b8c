import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Problem } from '@roadstead/kit';

/** Key pairs in the forms that OpenSSH reads (its PROTOCOL.key, and RFC 4253 section 6.6). */

export interface SshKey {
  readonly private_key: string;
  /** One line. */
  readonly public_key: string;
  /** In the notation of `ssh-keygen -l`. */
  readonly fingerprint: string;
}

const MAGIC = 'openssh-key-v1\0';
const COMMENT = 'roadstead';
const FIELD = 'credential.private_key';

export function makeSshKey(): SshKey {
  return fromKey(generateKeyPairSync('ed25519').privateKey, '');
}

/** Throws `invalid` unless it is a private key without a passphrase. */
export function readSshKey(text: string): SshKey {
  const trimmed = `${text.trim().replaceAll('\r\n', '\n')}\n`;
  if (trimmed.startsWith('-----BEGIN OPENSSH PRIVATE KEY-----')) return fromOpenSsh(trimmed);
  return fromKey(readPem(trimmed), trimmed);
}

/** Throws `invalid` unless it is a private key in PEM without a passphrase. */
export function readPem(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new Problem(
      'invalid',
      `${FIELD} must be a private key in PEM or in the form of OpenSSH, without a passphrase.`,
      {
        cause,
      },
    );
  }
}

/** @param pem As it was given; ed25519 is written again, since not every OpenSSH reads it in PEM. */
function fromKey(key: KeyObject, pem: string): SshKey {
  const blob = publicBlob(createPublicKey(key));
  const isEd25519 = key.asymmetricKeyType === 'ed25519';
  return { private_key: isEd25519 ? toOpenSsh(key, blob) : pem, ...shownOf(blob) };
}

/** The public key precedes the private one. */
function fromOpenSsh(text: string): SshKey {
  const bytes = Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64');
  if (bytes.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw notAKey();
  const [cipher, at] = readText(bytes, MAGIC.length);
  const [, afterKdf] = readText(bytes, at);
  const [, afterOptions] = readText(bytes, afterKdf);
  const [blob] = readText(bytes, afterOptions + 4);
  if (cipher.toString() !== 'none')
    throw new Problem('invalid', `${FIELD} has a passphrase; give a key without one.`);
  if (!/^[a-z][\w.@-]+$/.test(readText(blob, 0)[0].toString('latin1'))) throw notAKey();
  return { private_key: text, ...shownOf(blob) };
}

/** The text at an offset, and where it ends. */
function readText(bytes: Buffer, at: number): readonly [Buffer, number] {
  if (at + 4 > bytes.length) throw notAKey();
  const end = at + 4 + bytes.readUInt32BE(at);
  if (end > bytes.length) throw notAKey();
  return [bytes.subarray(at + 4, end), end];
}

const notAKey = () => new Problem('invalid', `${FIELD} is cut off, or is not a private key of OpenSSH.`);

function shownOf(blob: Buffer): Omit<SshKey, 'private_key'> {
  const kind = readText(blob, 0)[0].toString('latin1');
  return {
    public_key: `${kind} ${blob.toString('base64')} ${COMMENT}`,
    fingerprint: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
  };
}

const curves: Readonly<Record<string, string>> = {
  'P-256': 'nistp256',
  'P-384': 'nistp384',
  'P-521': 'nistp521',
};

function publicBlob(key: KeyObject): Buffer {
  const { kty, crv = '', n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' });
  if (kty === 'RSA') return texts('ssh-rsa', number(e), number(n));
  if (kty === 'OKP' && crv === 'Ed25519') return texts('ssh-ed25519', bytesOf(x));
  const curve = curves[crv];
  if (kty !== 'EC' || curve === undefined) throw notAKey();
  return texts(`ecdsa-sha2-${curve}`, curve, Buffer.concat([Buffer.of(4), bytesOf(x), bytesOf(y)]));
}

function toOpenSsh(key: KeyObject, blob: Buffer): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  const check = randomBytes(4);
  const secret = texts('ssh-ed25519', bytesOf(x), Buffer.concat([bytesOf(d), bytesOf(x)]), COMMENT);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - ((secret.length + 8) % 8)) % 8));
  const count = Buffer.from([0, 0, 0, 1]);
  const body = Buffer.concat([
    Buffer.from(MAGIC, 'latin1'),
    texts('none', 'none', ''),
    count,
    texts(blob, Buffer.concat([check, check, secret, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}

const bytesOf = (base64url: string) => Buffer.from(base64url, 'base64url');

/** A positive number, with a zero in front where its first bit would be its sign. */
function number(base64url: string): Buffer {
  const bytes = bytesOf(base64url);
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}

/** Writes each text after its length. */
function texts(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
