import { expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { commitBegins } from '../runs/begin-store.ts';
import { ENGINE_SCHEMA, engineMigrations } from './engine-migrations.ts';
import { withKeyedPlans } from './keyed-plans.ts';
import { insertEvents } from '../runs/run-events-store.ts';
import { commitWrites } from '../run-log/write-store.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

const all = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)];

/** The texts of the statements that every run passes. */
async function hotStatements(): Promise<string[]> {
  const texts: string[] = [];
  const prepared = async (_name: string, text: string) => {
    texts.push(text);
    return [];
  };
  const db = { prepared } as unknown as Database;
  await commitBegins(db, { items: [], epoch: 1 });
  await commitWrites(db, { batch: { puts: [], writes: [], finishes: [] }, epoch: 1 });
  await insertEvents(db, { records: [], epoch: 1 });
  return texts;
}

test('when tables were empty as statements were planned, then they still look rows up by key', async () => {
  await using home = await freshDatabase();
  await using db = openDatabase({
    url: withKeyedPlans(home.url),
    max: 1,
    name: 'test',
    schema: ENGINE_SCHEMA,
  });
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  const texts = await hotStatements();
  expect(texts).toHaveLength(3);
  const looked_up: string[] = [];
  for (const text of texts) {
    const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    const scans = all(row?.['QUERY PLAN'][0].Plan as Plan).filter(
      // The engine's own table has one row, and may be scanned.
      (plan) => plan['Node Type'].endsWith('Scan') && (plan['Relation Name'] ?? 'engine') !== 'engine',
    );
    looked_up.push(...scans.map((plan) => plan['Relation Name'] ?? ''));
    expect(scans.filter((plan) => plan['Index Cond'] === undefined)).toEqual([]);
  }
  expect(looked_up.toSorted()).toEqual(
    ['queue', 'runs', 'runs', 'runs', 'task_answers', 'tasks', 'tasks', 'threads'].toSorted(),
  );
});
