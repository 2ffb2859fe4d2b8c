import { execFileSync, spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '@roadstead/postgres';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const holder = fileURLToPath(new URL('testing/postgres-holder.ts', import.meta.url));

/** A folder for PostgreSQL below one of mode 0700 (that is what mkdtemp makes). */
async function newFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'roadstead-embedded-'));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return join(root, 'postgres');
}

async function ask<T extends object>(url: string, text: string): Promise<T> {
  await using db = openDatabase({ url, max: 1, name: 'test' });
  return db.one<T>(text);
}

/** A platform in a process of its own, which can be killed. */
function startHolder(folder: string) {
  const child = spawn(process.execPath, [holder, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const pid = new Promise<number>((resolve) =>
    createInterface(child.stdout).once('line', (line) => resolve(Number(line))),
  );
  return {
    pid: child.pid ?? 0,
    server_pid: pid,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** A zombie is not running; its parent may be an init that never collects it. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

const wait = { interval: 5 };

describe('a server of our own', () => {
  test('when it starts, then it listens on its own socket only, keeps its data, and can be ended', async () => {
    const folder = await newFolder();
    const lines: string[] = [];
    let pid: number;
    {
      await using server = await startEmbeddedPostgres({ folder, onLog: (line) => lines.push(line) });
      pid = server.pid;
      expect(isRunning(pid)).toBe(true);
      const names = [
        'listen_addresses',
        'max_connections',
        'jit',
        'fsync',
        'data_checksums',
        'TimeZone',
        'server_encoding',
      ];
      const shown = names.map((name) => `current_setting('${name}') as "${name}"`).join(', ');
      expect(await ask(server.url('postgres'), `select ${shown}`)).toEqual({
        listen_addresses: '',
        max_connections: '200',
        jit: 'off',
        fsync: 'on',
        data_checksums: 'on',
        TimeZone: 'UTC',
        server_encoding: 'UTF8',
      });
      await using db = openDatabase({ url: server.url('postgres'), max: 1, name: 'test' });
      await db.run(`create table kept as select 'Ä' < 'ä' as sorted, lower('Ä') as lower`);
    }
    expect(isRunning(pid)).toBe(false);
    expect(lines.join('\n')).toContain('database system is ready to accept connections');
    for (const path of [folder, join(folder, 'cluster')]) expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'cluster', 'password'))).mode & 0o777).toBe(0o600);
    await using again = await startEmbeddedPostgres({ folder });
    expect(await ask(again.url('postgres'), 'select * from kept')).toEqual({ sorted: true, lower: 'ä' });
  });

  test('when the password is wrong, then the server lets nobody in', async () => {
    const folder = await newFolder();
    await using server = await startEmbeddedPostgres({ folder });
    const guess = server.url('postgres').replace(/:[^:@]+@/, ':guess@');
    await expect(ask(guess, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('when the server dies, then that is told, it starts again, and nothing is lost', async () => {
    const folder = await newFolder();
    await using server = await startEmbeddedPostgres({ folder });
    const url = server.url('postgres');
    const first = { pid: server.pid, died: server.died };
    await using db = openDatabase({ url, max: 1, name: 'test' });
    await db.run('create table kept as select 1 as n');
    process.kill(server.pid, 'SIGKILL');
    await first.died;
    await server.restart();
    expect(server.pid).not.toBe(first.pid);
    expect(server.died).not.toBe(first.died);
    expect(await ask(url, 'select n from kept')).toEqual({ n: 1 });
    await server.restart();
    expect(await ask(url, 'select n from kept')).toEqual({ n: 1 });
  });

  test('when a start fails although the server is ready, then it counts as its death', async () => {
    const folder = await newFolder();
    await using server = await startEmbeddedPostgres({ folder });
    const access = join(folder, 'cluster', 'data', 'pg_hba.conf');
    const rules = await readFile(access, 'utf8');
    await writeFile(access, 'local all all reject\n');
    process.kill(server.pid, 'SIGKILL');
    await server.died;
    await expect(server.restart()).rejects.toThrow('PostgreSQL started but does not answer');
    await server.died;
    await writeFile(access, rules);
    await server.restart();
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
  });

  test('when a child outlives a killed postmaster, then the server starts all the same', async () => {
    const folder = await newFolder();
    await using server = await startEmbeddedPostgres({ folder });
    const busy = ask(server.url('postgres'), 'select count(*) from generate_series(1, 1e12) as busy').catch(
      () => 'ended',
    );
    const active = `select pid from pg_stat_activity where query like '%as busy' and pid <> pg_backend_pid() and state = 'active'`;
    let pid = 0;
    const isBusy = async () =>
      ({ pid } = await ask<{ pid: number }>(server.url('postgres'), active)) !== undefined;
    await expect.poll(isBusy, wait).toBe(true);
    process.kill(server.pid, 'SIGKILL');
    await server.died;
    await server.restart();
    expect(isRunning(pid)).toBe(false);
    expect(await busy).toBe('ended');
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
  });
});

describe('what a killed platform leaves', () => {
  test('when a server is left running, then the next start stops it', async () => {
    const folder = await newFolder();
    const platform = startHolder(folder);
    const left = await platform.server_pid;
    await platform.kill();
    expect(isRunning(left)).toBe(true);
    await using server = await startEmbeddedPostgres({ folder });
    expect(isRunning(left)).toBe(false);
    expect(server.pid).not.toBe(left);
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
  });

  test('when the platform of a server lives, then the server is not touched', async () => {
    const folder = await newFolder();
    const platform = startHolder(folder);
    const pid = await platform.server_pid;
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The data folder is in use by another Roadstead, process ${platform.pid}.`,
    );
    expect(isRunning(pid)).toBe(true);
    await platform.kill();
    await using _server = await startEmbeddedPostgres({ folder });
  });

  test('when the process number of a lock file now is something else, then the file doesn’t matter', async () => {
    const folder = await newFolder();
    await (await startEmbeddedPostgres({ folder }))[Symbol.asyncDispose]();
    const somebody = spawn('sleep', ['1000'], { stdio: 'ignore' });
    onTestFinished(() => void somebody.kill());
    const socket = join(folder, 'socket');
    await mkdir(socket, { mode: 0o700 });
    const data = join(folder, 'cluster', 'data');
    const lock = `${somebody.pid}\n${data}\n1795224996\n5432\n${socket}\n`;
    await writeFile(join(data, 'postmaster.pid'), lock);
    await writeFile(join(socket, '.s.PGSQL.5432.lock'), lock);
    await using server = await startEmbeddedPostgres({ folder });
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
    expect(isRunning(somebody.pid ?? 0)).toBe(true);
  });

  test.each(['base', 'PG_VERSION'])(
    'when the first start is killed after initdb made %s, then the next start works',
    async (made) => {
      const folder = await newFolder();
      const platform = startHolder(folder);
      await expect
        .poll(() => stat(join(folder, `unfinished-${platform.pid}`, 'data', made)), wait)
        .toBeDefined();
      await platform.kill();
      await expect(stat(join(folder, 'cluster'))).rejects.toThrow('ENOENT');
      await using server = await startEmbeddedPostgres({ folder });
      expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
      expect((await readdir(folder)).sort()).toEqual(['cluster', 'socket']);
    },
  );
});

describe('folders', () => {
  test('when a path is too long for a socket, then the socket lies elsewhere', async () => {
    const folder = join(await newFolder(), 'long '.repeat(30), 'name, with "all"');
    await mkdir(folder, { recursive: true });
    await using server = await startEmbeddedPostgres({ folder });
    const socket = new URLSearchParams(server.url('postgres').split('?')[1]).get('host') ?? '';
    expect(socket).toMatch(/^\/.*\/roadstead-\d+-[0-9a-f]{12}$/);
    expect((await stat(socket)).mode & 0o777).toBe(0o700);
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
    await server[Symbol.asyncDispose]();
    await expect(stat(socket)).rejects.toThrow('ENOENT');
  });

  test('when a file lies in place of the folder, or above it, then the start is refused in words', async () => {
    const folder = await newFolder();
    await writeFile(folder, '');
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The folder ${folder} for PostgreSQL cannot be made: a file is in its place.`,
    );
    await expect(startEmbeddedPostgres({ folder: join(folder, 'below') })).rejects.toThrow(
      'a file is in its place',
    );
  });

  test('when the data can’t be read by this PostgreSQL, then the start is refused in words', async () => {
    const folder = await newFolder();
    await (await startEmbeddedPostgres({ folder }))[Symbol.asyncDispose]();
    const version = join(folder, 'cluster', 'data', 'PG_VERSION');
    const current = await readFile(version, 'utf8');
    await writeFile(version, '16\n');
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The data in ${folder} was written by PostgreSQL 16, which PostgreSQL ${current.trim()} cannot read; ` +
        'start the Roadstead that wrote it, or restore a backup into an empty folder.',
    );
    await unlink(version);
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      'holds no PostgreSQL data that can be read',
    );
    await writeFile(version, current);
    await unlink(join(folder, 'cluster', 'password'));
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      'password, without which the data cannot be opened',
    );
  });

  test.runIf(process.getuid?.() === 0)(
    'when the folder belongs to somebody else, then the start is refused in words',
    async () => {
      const folder = await newFolder();
      await mkdir(folder);
      await chown(folder, 12_345, 12_345);
      await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
        `The folder ${folder} belongs to user 12345; start Roadstead as that user, not as 0.`,
      );
    },
  );

  test('when PostgreSQL refuses its settings, then it ends at once, and its own words say why', async () => {
    const folder = await newFolder();
    await (await startEmbeddedPostgres({ folder }))[Symbol.asyncDispose]();
    await writeFile(join(folder, 'cluster', 'data', 'postgresql.conf'), 'max_wal_size = lots');
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      /^PostgreSQL ended while it started \(1\): .*invalid value for parameter "max_wal_size"/s,
    );
  });
});

describe('a start is abandoned', () => {
  const reason = new Error('changed my mind');

  test('when the signal aborts before or while the data is made, then nothing is left', async () => {
    const folder = await newFolder();
    const controller = new AbortController();
    const starting = startEmbeddedPostgres({ folder, signal: controller.signal });
    await expect.poll(() => readdir(folder), wait).toEqual([`unfinished-${process.pid}`]);
    controller.abort(reason);
    await expect(starting).rejects.toThrow(reason);
    expect(await readdir(folder)).toEqual([]);
    await expect(startEmbeddedPostgres({ folder, signal: controller.signal })).rejects.toThrow(reason);
    await using _server = await startEmbeddedPostgres({ folder });
  });

  test('when the signal aborts while the server starts, then no server is left', async () => {
    const folder = await newFolder();
    const controller = new AbortController();
    let pid = 0;
    const onLog = (line: string) => {
      pid ||= Number(/\[(\d+)\] LOG: {2}starting PostgreSQL/.exec(line)?.[1] ?? 0);
      if (pid > 0) controller.abort(reason);
    };
    await expect(startEmbeddedPostgres({ folder, signal: controller.signal, onLog })).rejects.toThrow(reason);
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
    await using server = await startEmbeddedPostgres({ folder });
    expect(await ask(server.url('postgres'), 'select 1 as n')).toEqual({ n: 1 });
  });
});
