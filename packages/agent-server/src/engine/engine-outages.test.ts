import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { echo, message, never, owner, useEngines } from '../testing/scripted-engines.ts';

const { freshUrl, openedDatabase, openEngine, openEngineOn } = useEngines();

/** A database whose next answers, once told to, are lost: what was sent may stand all the same. */
function losing(db: Database): { readonly db: Database; lose: (name: string, sent: boolean) => void } {
  let losing: { name: string; sent: boolean } | undefined;
  const lost = () => Object.assign(new Error('Connection terminated unexpectedly'), {});
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (losing?.name !== name) return work();
    const { sent } = losing;
    losing = undefined;
    if (sent) await work();
    throw lost();
  };
  const between: Database = {
    ...db,
    query: (text, values) => around('query', () => db.query(text, values)),
    prepared: (name, text, values) => around(name, () => db.prepared(name, text, values)),
    run: (text, values) =>
      around(text.includes('attempt = attempt + 1') ? 'renew' : 'run', () => db.run(text, values)),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  return { db: between, lose: (name, sent) => (losing = { name, sent }) };
}

test.each([true, false])(
  'when the answer of a begin is lost (committed: %s), then it may be sent again',
  async (sent) => {
    const lossy = losing(await openedDatabase(await freshUrl()));
    await using engine = await openEngineOn(lossy.db, echo);
    const request = message('hi', { digest: 'same' });
    lossy.lose('begin', sent);
    await expect(engine.begin(owner, request)).rejects.toThrow('Connection terminated');
    const again = await engine.begin(owner, request);
    expect((await engine.settled(again.id, never)).status.state).toBe('completed');
  },
);

test('when a host dies while the database is away, then it costs an attempt, and not the run', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, async (params, emit) => {
    if (params.attempt > 1) return echo(params, emit);
    lossy.lose('renew', false);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('completed');
});

test('when nobody knows whether an attempt has begun, then it is looked for again', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, async (params, emit) => {
    if (params.attempt > 1) return echo(params, emit);
    lossy.lose('renew', true);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('completed');
});

test('when a graph speaks like a database that is away, then it fails as graphs do', async () => {
  await using engine = await openEngine(await freshUrl(), async () => {
    throw new Error('Connection terminated unexpectedly');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('failed');
});

test('when an engine stops while its database is away, then the next one ends the run', async () => {
  const url = await freshUrl();
  const db = await openedDatabase(url);
  let tries = 0;
  const away: Database = {
    ...db,
    prepared: async (name, text, values) => {
      if (name !== 'write') return db.prepared(name, text, values);
      tries += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  };
  const engine = await openEngineOn(away, echo);
  const begun = await engine.begin(owner, message('hi'));
  await expect.poll(() => tries).toBeGreaterThan(1);
  await engine[Symbol.asyncDispose]();
  await using next = await openEngine(url, echo);
  expect((await next.settled(begun.id, never)).status.state).toBe('completed');
});

test('when the database is away, then what a host asks waits', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, echo);
  lossy.lose('query', false);
  const asked = await engine.sink.ask(
    { method: 'checkpoint.get', params: { thread_id: 't', checkpoint_ns: '' } },
    { blobs: [] },
  );
  expect(asked.result).toBeNull();
});
