import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';

/** Passwords as argon2id hashes in PHC strings, computed off the event loop. */

interface Parameters {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's recommendation. A hash with other parameters is computed again when its password is next seen. */
const CURRENT: Parameters = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The limit on waiting checks; beyond it callers are asked to come again. */
const MAX_WAITING = 50;

const derive = promisify(argon2);

/** One at a time: a hash takes 35 ms of a thread of Node's pool, which files and compression need too. */
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

async function compute(
  password: string,
  { salt, ...parameters }: Parameters & { readonly salt: Buffer },
): Promise<Buffer> {
  if (waiting >= MAX_WAITING)
    throw new Problem('unavailable', 'Too many people sign in at this moment; try again.', {
      retry_after_s: 2,
    });
  waiting += 1;
  const message = Buffer.from(password.normalize('NFKC'));
  const computed = last.then(() =>
    derive('argon2id', { ...parameters, message, nonce: salt, tagLength: HASH_BYTES }),
  );
  last = computed.catch(() => undefined).finally(() => (waiting -= 1));
  return computed;
}

export async function hashPassword(password: string, parameters = CURRENT): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return written({ ...parameters, salt, hash: await compute(password, { ...parameters, salt }) });
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** Whether it was hashed with outdated parameters. */
  readonly is_stale: boolean;
}

/** @param kept the PHC string; undefined takes as long, and never matches. */
export async function checkPassword(password: string, kept: string | undefined): Promise<PasswordCheck> {
  const { hash, salt, ...parameters } = kept === undefined ? nobodys : read(kept);
  const computed = await compute(password, { ...parameters, salt });
  return {
    matches: timingSafeEqual(computed, hash) && kept !== undefined,
    is_stale: Object.entries(CURRENT).some(([name, value]) => parameters[name as keyof Parameters] !== value),
  };
}

interface StoredHash extends Parameters {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const nobodys: StoredHash = { ...CURRENT, salt: randomBytes(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };

/** `$argon2id$v=19$m=19456,t=2,p=1${salt}${hash}`, both in base64 without padding. */
function written({ memory, passes, parallelism, salt, hash }: StoredHash): string {
  const [salted, hashed] = [salt, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salted}$${hashed}`;
}

function read(phc: string): StoredHash {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]{43})$/.exec(phc);
  if (parts === null) throw new Error('A stored password is no argon2id hash.');
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
