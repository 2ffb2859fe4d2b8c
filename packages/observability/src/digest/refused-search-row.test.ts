import { createLog, uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { termOf } from '../search/term-rules.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

const lines: string[] = [];
const fixture = useFixture(() => {
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  return startFixture({ log });
});

it('when the database refuses the search row of a run, then all other runs are digested', async () => {
  const { db } = fixture().fresh;
  await db.run(
    `alter table traces.search add check (not terms @> array[${termOf('tag', 'indigestible')}::bigint])`,
  );
  const ids = Array.from({ length: 5 }, () => uuidv7());
  const run = (id: string, index: number) => ({
    id,
    name: `run ${index}`,
    run_type: 'chain',
    session_name: 'mixed',
    start_time: new Date(Date.now() - 1000).toISOString(),
    end_time: new Date().toISOString(),
    inputs: { question: `secret${index}` },
    tags: [index === 2 ? 'indigestible' : 'plain'],
  });
  const body = JSON.stringify({ post: ids.map(run) });
  expect((await fixture().send('/runs/batch', { method: 'POST', body })).status).toBe(202);

  const [session] = await fixture()
    .client()
    .listSessions({ query: { name: 'mixed', include_stats: 'true' } });
  expect(session?.run_count).toBe(5);
  expect(await db.query('select from traces.changes')).toEqual([]);
  const rows = await db.query<{ run_id: string; terms: number }>(
    'select run_id, cardinality(terms) as terms, words from traces.search where workspace_id = $1',
    [WORKSPACE],
  );
  const empty = rows.filter((row) => row.terms === 0).map((row) => row.run_id);
  expect([rows.length, empty]).toEqual([5, [ids[2]]]);
  const told = lines.filter((line) => line.includes('cannot be searched'));
  expect(told.length).toBeGreaterThan(0);
  expect(told[0]).toContain(ids[2]);
  expect(told[0]).toContain('23514');
  expect(lines.join('')).not.toMatch(/secret|indigestible/);
});
