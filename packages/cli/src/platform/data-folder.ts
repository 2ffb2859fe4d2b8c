import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '@roadstead/kit';

/** Where everything lies: named by the environment, else `.roadstead` of the checkout, else of the home folder. */
export function dataFolderOf(named: string | undefined): string {
  if (named !== undefined) return resolve(named);
  const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
  return existsSync(join(checkout, 'bin', 'install.mjs'))
    ? join(checkout, '.roadstead')
    : join(homedir(), '.roadstead');
}

export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  /** A folder for sockets, whose path is short enough for them. */
  readonly sockets: string;
  /** A text that is made once, in a file that only we may read. */
  secret(name: string, make: () => string): Promise<string>;
  /** A line at the end of the log. */
  log(line: string): void;
  readonly log_path: string;
}

/** Makes and locks the folder: two platforms on one folder would destroy each other's data. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    throw new Problem('invalid', `${path} is a file; ROADSTEAD_DATA_DIR must name a folder.`);
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new Problem('invalid', `The data folder ${path} can not be made.`, { cause });
  });
  await chmod(path, 0o700);
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const sockets = join(tmpdir(), `roadstead-${process.getuid?.() ?? 0}-${hash}`);
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  const owner = await stat(sockets);
  if (owner.uid !== (process.getuid?.() ?? owner.uid))
    throw new Problem('forbidden', `${sockets} belongs to somebody else.`);
  const unlock = await lock(join(sockets, 'lock'), path);
  const log_path = join(path, 'logs', 'platform.log');
  await mkdir(dirname(log_path), { recursive: true });
  return {
    path,
    sockets,
    secret: (name, make) => ownSecret(join(path, name), make),
    log_path,
    log: (line) => void appendFile(log_path, line, { mode: 0o600 }).catch(() => undefined),
    [Symbol.asyncDispose]: unlock,
  };
}

/** A listening socket is a lock that the system lets go of when its process dies, however it dies. */
async function lock(socket: string, folder: string): Promise<() => Promise<void>> {
  if (await answers(socket))
    throw new Problem(
      'conflict',
      `Another Roadstead runs on the data folder ${folder}; stop it first, or set ROADSTEAD_DATA_DIR.`,
    );
  await rm(socket, { force: true });
  const server = createServer((client) => client.destroy());
  await new Promise<void>((done, fail) => server.once('error', fail).listen(socket, done));
  server.unref();
  return async () => {
    await new Promise<void>((done) => server.close(() => done()));
  };
}

function answers(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const client = connect(socket, () => {
      client.destroy();
      done(true);
    });
    client.on('error', () => done(false));
  });
}

/** Whole or not there: written beside, synced, renamed. */
async function ownSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined && known.trim() !== '') return known.trim();
  const made = make();
  await using file = await open(`${path}.new`, 'w', 0o600);
  await file.writeFile(`${made}\n`);
  await file.sync();
  await rename(`${path}.new`, path);
  return made;
}
