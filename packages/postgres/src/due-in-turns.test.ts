import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/database.ts';
import { openDatabase } from './database.ts';
import { dueInTurns } from './due-in-turns.ts';

test('when what waits of an owner may not go, then it is asked once an owner, and none of its rows is read', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const db = stack.use(openDatabase({ url, max: 1, name: 'test' }));
  await db.run(
    `create sequence asked;
     create table things (id integer primary key, whole text, part text, due_at timestamptz default now());
     create index things_in_turns on things (whole, part, due_at);
     insert into things (id, whole, part) select n, 'w', case when n <= 5000 then 'off' else 'on' end
       from generate_series(1, 5003) n`,
  );
  const listing = dueInTurns({
    table: 'things',
    key: 'id',
    owner: ['whole', 'part'],
    due: 'due_at',
    waits: 'due_at is not null',
    may_go: `case when nextval('asked') > 0 then o.part <> 'off' end`,
    now: 'now()',
    of_one: 50,
  });
  const listed = await db.query<{ id: number }>(listing, [100]);
  expect(listed.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual([5001, 5002, 5003]);
  expect(await db.query('select last_value::integer as asked from asked')).toEqual([{ asked: 2 }]);
});
