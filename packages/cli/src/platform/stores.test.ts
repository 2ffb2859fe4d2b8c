import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog, readConfig, silentLog } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { openDataFolder } from './data-folder.ts';
import { platformSettings } from './platform-config.ts';
import { openStores } from './stores.ts';

test('when its first restarts fail, then the embedded Postgres still comes back', async () => {
  const path = await mkdtemp(join(tmpdir(), 'roadstead-stores-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  const said: string[] = [];
  const log = createLog({ level: 'error', write: (line) => said.push(line) });
  await using folder = await openDataFolder(path);
  await using stores = await openStores({
    folder,
    log,
    config: readConfig(platformSettings, {}),
    signal: new AbortController().signal,
  });
  expect(stores.is_embedded).toBe(true);
  const data = join(path, 'postgres', 'cluster', 'data');
  const access = await readFile(join(data, 'pg_hba.conf'), 'utf8');
  await writeFile(join(data, 'pg_hba.conf'), 'local all all reject\n');
  process.kill(Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
  await expect.poll(() => said.filter((line) => line.includes('did not start')).length).toBe(2);
  await writeFile(join(data, 'pg_hba.conf'), access);
  await using db = openDatabase({ url: stores.urls.platform, max: 1, name: 'test' });
  await expect.poll(async () => db.one('select 1 as n').catch(() => undefined)).toEqual({ n: 1 });
});

test('when databases are given by address, then no Postgres of our own is started', async () => {
  const path = await mkdtemp(join(tmpdir(), 'roadstead-stores-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  await using platform = await freshDatabase();
  await using traces = await freshDatabase();
  await using folder = await openDataFolder(path);
  const config = readConfig(platformSettings, {
    DATABASE_URL: platform.url,
    TRACES_DATABASE_URL: traces.url,
  });
  const signal = new AbortController().signal;
  await using stores = await openStores({ folder, config, signal, log: silentLog });
  expect([stores.is_embedded, stores.urls.traces]).toEqual([false, traces.url]);
});
