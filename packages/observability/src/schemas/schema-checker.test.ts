import { expect, test } from 'vitest';
import { SchemaChecker } from './schema-checker.ts';

test('when a workspace asks much, then it delays another by one job, not by all of them', async () => {
  await using checker = new SchemaChecker();
  const finished: string[] = [];
  const check = async (workspace_id: string) => {
    await checker.requireSchemas({ workspace_id, inputs_schema_definition: { type: 'object' } });
    finished.push(workspace_id);
  };
  await Promise.all([...['a', 'a', 'a', 'a', 'a'].map(check), check('b'), check('c')]);
  expect(finished.join('')).toBe('abcaaaa');
});
