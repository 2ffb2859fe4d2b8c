import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Blobs, openFolderBlobs } from '@roadstead/blobs';
import { type Database, migrate, type Migration } from '@roadstead/postgres';
import { type FreshDatabase, freshDatabase, useFolderPerTest } from '@roadstead/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Backup, type BackupPlace, listBackups } from './backup-place.ts';
import { type BackupSource, makeBackup } from './make-backup.ts';
import { pruneBackups } from './prune-backups.ts';
import { type EmptyInstallation, readKeys, restoreBackup } from './restore-backup.ts';

/** Rows that refer to rows, in tables whose names are in another order; what is computed, counted or notified of. */
const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'shop',
    sql: `
create table zones (id integer primary key, name text not null);
create table clients (id bigint generated always as identity primary key, zone integer not null references zones,
  invited_by bigint references clients, said text, data bytea, facts jsonb, tags text[], at timestamptz,
  loud text generated always as (upper(said)) stored);
create table counts (what text primary key, n bigint not null);
create table orders (id integer not null, week date not null, client bigint references clients, primary key (week, id))
  partition by list (week);
create sequence numbers;
create sequence unused;
create function count_client() returns trigger language plpgsql as $$ begin
  insert into shop.counts as c values ('clients', 1) on conflict (what) do update set n = c.n + 1; return null; end $$;
create trigger counted after insert on clients for each row execute function count_client();`,
  },
  { id: 3, name: 'notes', sql: 'create table a_notes (client bigint references clients, note text)' },
];
const later: Migration = { id: 4, name: 'later', sql: 'create table later (id integer)' };
const schema = 'shop';
const WEEKS = ['2026-01-05', '2026-01-12'];

async function prepare(db: Database, tables: readonly string[]): Promise<void> {
  for (const name of tables.filter((one) => /^orders_\d$/.test(one)))
    await db.run(
      `create table if not exists shop.${name} partition of shop.orders for values in ('${WEEKS[Number(name.at(-1))]}')`,
    );
}

const TEXTS = ['plain', 'a\tb\nc\\d\r\n\\.', '\\N', '', null, 'ünïcödé 🚢'];

async function fill(db: Database): Promise<void> {
  await db.run(
    `set search_path to shop; insert into zones select n, 'zone ' || n from generate_series(1, 50) n`,
  );
  for (const [index, said] of TEXTS.entries())
    await db.query(
      `insert into shop.clients (zone, invited_by, said, data, facts, tags, at)
       values ($1, (select max(id) from shop.clients), $2, $3, $4, $5, $6)`,
      [
        index + 1,
        said,
        Buffer.from([0, 9, 10, 13, 92, 255]),
        JSON.stringify({ said, deep: [1.5, null, '"'] }),
        ['x', 'with, comma', 'NULL', said],
        index % 2 === 0 ? 'infinity' : '2026-01-01T00:00:00.123456Z',
      ],
    );
  await db.query(`insert into shop.orders select n, $1, 1 from generate_series(1, 500) n`, [WEEKS[0]]);
  await db.query(`insert into shop.orders select n, $1, 2 from generate_series(1, 500) n`, [WEEKS[1]]);
  await db.run(
    `insert into shop.a_notes values (1, 'a note'); select nextval('shop.numbers') from generate_series(1, 7)`,
  );
}

const folder = useFolderPerTest('backup-');
const fresh = async (): Promise<FreshDatabase> => {
  const made = await freshDatabase('backup');
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
};
async function store(...names: readonly string[]): Promise<Blobs> {
  const path = join(folder(), ...names);
  await mkdir(path, { recursive: true });
  return openFolderBlobs(path);
}
const place = async (): Promise<BackupPlace> => ({
  manifests: await store('place', 'manifests'),
  tables: await store('place', 'tables'),
  blobs: { blobs: await store('place', 'blobs') },
});
const put = (blobs: Blobs, text: string) => blobs.put(new Blob([text]).stream(), { max_bytes: 1000 });

/** An installation with rows, and what is asked of a backup of it. */
async function installed(): Promise<BackupSource & { readonly db: Database; readonly url: string }> {
  const { db, url } = await fresh();
  await migrate(db, { schema, migrations });
  await prepare(db, ['orders_0', 'orders_1']);
  await fill(db);
  const blobs = await store('installed', 'blobs');
  await put(blobs, 'a source');
  return {
    db,
    url,
    version: '1.0.0',
    databases: [{ name: 'platform', url, schemas: [schema] }],
    listAgents: async () => [],
    blobs: { blobs },
    keys: { 'secret-key': 'a key without an end of line' },
  };
}

async function empty(url: string, known: readonly Migration[] = migrations): Promise<EmptyInstallation> {
  return {
    schemas: { [schema]: { migrations: known, prepare } },
    findAddress: async () => url,
    addressOf: async () => url,
    begin: async () => undefined,
    blobs: { blobs: await store('restored', 'blobs') },
  };
}

const quiet = { signal: new AbortController().signal, tell: (_what: string): void => undefined };
const restore = async (backup: Backup, into: EmptyInstallation, more: Partial<typeof quiet> = {}) =>
  restoreBackup(backup, await place(), { ...quiet, ...more, into });

test('when a backup is restored, then a backup of that is the same, row by row', async () => {
  const from = await installed();
  const made = await makeBackup(from, await place(), quiet);
  const counted = made.manifest.schemas[0]?.tables.map(({ name, rows }) => [name, rows]);
  expect(Object.fromEntries(counted ?? [])).toEqual({
    zones: 50,
    clients: TEXTS.length,
    counts: 1,
    orders_0: 500,
    orders_1: 500,
    a_notes: 1,
  });
  const { db, url } = await fresh();
  await restore(made, await empty(url));
  const again = await makeBackup(
    { ...from, databases: [{ name: 'platform', url, schemas: [schema] }] },
    await place(),
    quiet,
  );
  expect(again.manifest.schemas).toEqual(made.manifest.schemas);
  // What is computed is computed again, numbers go on, and triggers count again.
  expect(await db.query('select loud from shop.clients order by id limit 1')).toEqual([{ loud: 'PLAIN' }]);
  await db.run(`insert into shop.clients (zone, said) values (1, 'new')`);
  expect(
    await db.one(
      `select (select max(id) from shop.clients) as id, (select n from shop.counts) as n, nextval('shop.numbers') as next, nextval('shop.unused') as first`,
    ),
  ).toEqual({ id: TEXTS.length + 1, n: TEXTS.length + 1, next: 8, first: 1 });
  expect(await readKeys(made, await place())).toEqual(from.keys);
  expect(await (await store('restored', 'blobs')).has((await put(await store('x'), 'a source')).digest)).toBe(
    true,
  );
});

test('when rows come while a backup is made, then it has all of a transaction or nothing', async () => {
  const from = await installed();
  let sold = 0;
  const sells = async () => {
    sold += 1;
    await from.db.run(
      `insert into shop.zones values (${100 + sold}, 'new'); insert into shop.clients (zone) values (${100 + sold})`,
    );
  };
  const to = await place();
  // Between one table and the next.
  const tables: Blobs = { ...to.tables, put: (...put) => to.tables.put(...put).finally(sells) };
  const copied = await makeBackup(from, { ...to, tables }, quiet);
  expect(sold).toBeGreaterThan(3);
  const { db, url } = await fresh();
  await restore(copied, await empty(url));
  expect(
    await db.one(
      `select count(*) filter (where id > 100) as zones, (select count(*) from shop.clients where zone > 100) as clients from shop.zones`,
    ),
  ).toEqual({ zones: 0, clients: 0 });
});

test('when a blob comes with a row while a backup is made, then both are in it', async () => {
  const from = await installed();
  let digest = '';
  const listed = Promise.withResolvers<void>();
  const blobs: Blobs = {
    ...(from.blobs['blobs'] as Blobs),
    list: async function* () {
      yield* (from.blobs['blobs'] as Blobs).list();
      if (digest === '') {
        ({ digest } = await put(from.blobs['blobs'] as Blobs, 'came later'));
        await from.db.query('insert into shop.a_notes values (1, $1)', [digest]);
      }
      listed.resolve();
    },
  };
  const made = await makeBackup({ ...from, blobs: { blobs } }, await place(), quiet);
  await listed.promise;
  const { db, url } = await fresh();
  await restore(made, await empty(url));
  expect(await db.query('select note from shop.a_notes order by note desc limit 1')).toEqual([
    { note: digest },
  ]);
  expect(await (await store('restored', 'blobs')).has(digest)).toBe(true);
});

test('when a restore is cut off, then the same backup goes on, and no other', async () => {
  const from = await installed();
  const first = await makeBackup(from, await place(), quiet);
  await from.db.run(`insert into shop.a_notes values (2, 'another')`);
  const second = await makeBackup(from, await place(), quiet);
  expect((await listBackups((await place()).manifests)).backups.map(({ digest }) => digest)).toEqual([
    second.digest,
    first.digest,
  ]);
  const { db, url } = await fresh();
  const cut = new AbortController();
  const tell = (what: string) => {
    if (what.startsWith('platform')) cut.abort();
  };
  await expect(restore(second, await empty(url), { signal: cut.signal, tell })).rejects.toThrow();
  expect(await db.query('select from shop.zones')).toEqual([]);
  await expect(restore(first, await empty(url))).rejects.toMatchObject({ kind: 'conflict' });
  await restore(second, await empty(url));
  expect(await db.query('select from shop.a_notes')).toHaveLength(2);
  await expect(restore(second, await empty(url))).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('already') as string,
  });
});

test('when a newer version restores, then it goes on from where that was; an older one refuses', async () => {
  const from = await installed();
  const made = await makeBackup(from, await place(), quiet);
  const { db, url } = await fresh();
  await restore(made, await empty(url, [...migrations, later]));
  await migrate(db, { schema, migrations: [...migrations, later] });
  expect(await db.query('select from shop.later')).toEqual([]);
  await expect(restore(made, await empty((await fresh()).url, migrations.slice(0, 1)))).rejects.toMatchObject(
    {
      kind: 'invalid',
      message: expect.stringContaining('newer version') as string,
    },
  );
});

test('when rows of a backup are missing, then nothing of their database is restored', async () => {
  const from = await installed();
  const made = await makeBackup(from, await place(), quiet);
  const lost = made.manifest.schemas[0]?.tables.find(({ name }) => name === 'clients')?.digest ?? '';
  await (await place()).tables.delete(lost);
  const { db, url } = await fresh();
  await expect(restore(made, await empty(url))).rejects.toMatchObject({
    message: 'The backup is damaged. The rows of shop.clients are missing.',
  });
  expect(await db.query(`select from pg_namespace where nspname = 'shop'`)).toEqual([]);
});

test('when a blob of a backup is missing, then that is said before any row is restored', async () => {
  const from = await installed();
  const made = await makeBackup(from, await place(), quiet);
  const { digest } = await put(await store('x'), 'a source');
  await (await place()).blobs['blobs']?.delete(digest);
  const { db, url } = await fresh();
  await expect(restore(made, await empty(url))).rejects.toMatchObject({
    message: `The backup is damaged. The blob ${digest} is missing.`,
  });
  expect(await db.query(`select from pg_namespace where nspname = 'shop'`)).toEqual([]);
});

test('when backups are pruned, then what the newest name stays, and what is young', async () => {
  const from = await installed();
  const blobs = from.blobs['blobs'] as Blobs;
  const old = await put(blobs, 'of the first');
  await makeBackup(from, await place(), quiet);
  await blobs.delete(old.digest);
  await from.db.run(`insert into shop.a_notes values (2, 'another')`);
  const second = await makeBackup(from, await place(), quiet);
  const at = { ...quiet, keep: 1 };
  expect(await pruneBackups(await place(), at)).toEqual({ removed: 1, kept: 1, files: 0 });
  const later_ms = Date.now() + 3 * 86_400_000;
  // The first one's notes, its list of blobs, and the blob.
  expect(await pruneBackups(await place(), { ...at, now_ms: later_ms })).toEqual({
    removed: 0,
    kept: 1,
    files: 3,
  });
  const { db, url } = await fresh();
  await restore(second, await empty(url));
  expect(await db.query('select from shop.a_notes')).toHaveLength(2);
  expect(await (await store('place', 'blobs')).has(old.digest)).toBe(false);
});

test('when a blob is deleted while it is copied, then the backup goes without it', async () => {
  const from = await installed();
  const blobs = from.blobs['blobs'] as Blobs;
  const { digest } = await put(blobs, 'deleted meanwhile');
  const deleting: Blobs = {
    ...blobs,
    get: async (wanted, range) => {
      if (wanted === digest) await blobs.delete(digest);
      return blobs.get(wanted, range);
    },
  };
  const made = await makeBackup({ ...from, blobs: { blobs: deleting } }, await place(), quiet);
  expect(made.manifest.blobs['blobs']).toMatchObject({ count: 1 });
  await restore(made, await empty((await fresh()).url));
});

test('when a blob is damaged, then it is named, and its earlier copy stays in the backup', async () => {
  const from = await installed();
  const blobs = from.blobs['blobs'] as Blobs;
  const [kept, broken] = [await put(blobs, 'copied before'), 'broken since'];
  await makeBackup(from, await place(), quiet);
  const { digest } = await put(blobs, broken);
  const path = ({ digest: name }: { readonly digest: string }) =>
    join(folder(), 'installed', 'blobs', name.slice(7, 9), name.slice(7));
  await writeFile(path(kept), 'other bytes');
  await writeFile(path({ digest }), 'other bytes');
  const made = await makeBackup(from, await place(), quiet);
  expect(made.damaged).toEqual([digest]);
  expect(made.manifest.blobs['blobs']).toMatchObject({ count: 2 });
  await restore(made, await empty((await fresh()).url));
  expect(await (await store('restored', 'blobs')).has(kept.digest)).toBe(true);
});

test('when a restore was cut off, then no service starts on what is half there', async () => {
  const from = await installed();
  const made = await makeBackup(from, await place(), quiet);
  const { db, url } = await fresh();
  const cut = new AbortController();
  const tell = (what: string) => {
    if (what.startsWith('platform')) cut.abort();
  };
  await expect(restore(made, await empty(url), { signal: cut.signal, tell })).rejects.toThrow();
  await expect(migrate(db, { schema, migrations })).rejects.toThrow('is being restored from a backup');
  await restore(made, await empty(url));
  await migrate(db, { schema, migrations });
});

test('when a database that is needed has no schema of ours, then there is no backup', async () => {
  const from = await installed();
  const wrong = { ...from, databases: [{ name: 'traces', url: from.url, schemas: ['traces'] }] };
  await expect(makeBackup(wrong, await place(), quiet)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('The database traces has no schema traces') as string,
  });
  expect((await listBackups((await place()).manifests)).backups).toEqual([]);
});

test('when no backup is at a place, then pruning removes nothing there', async () => {
  const { digest } = await put((await place()).tables, 'of a backup that is being made');
  const at = { ...quiet, keep: 1, now_ms: Date.now() + 30 * 86_400_000 };
  expect(await pruneBackups(await place(), at)).toEqual({ removed: 0, kept: 0, files: 0 });
  expect(await (await place()).tables.has(digest)).toBe(true);
});
