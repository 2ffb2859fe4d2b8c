import { expect, test } from 'vitest';
import { findByIdOrName } from './name-lookup.ts';

const ID = '11111111-1111-4111-8111-111111111111';

test.each([
  ['an id', ID, { ids: [ID], names: [] }, `id ${ID}`],
  ['a name', 'mine', { ids: [], names: ['mine'] }, 'name mine'],
  ['a name that looks like an id', ID, { ids: [], names: [ID] }, `name ${ID}`],
  ['nothing that is known', ID, { ids: [], names: [] }, undefined],
])('when %s is given, then it is found as what it is', async (_what, given, { ids, names }, found) => {
  const known = (list: readonly string[], by: string) => async (one: string) =>
    list.includes(one) ? [`${by} ${one}`] : [];
  expect(await findByIdOrName(given, { byId: known(ids, 'id'), byName: known(names, 'name') })).toBe(found);
});
