import { expect, test } from 'vitest';
import { at } from '../router/addresses.ts';
import { firstFound, gather, listed, named } from './places-rules.ts';

const place = { kind: 'deployment', id: '1', name: 'one', target: at.home() };
const names = ['deployments', 'projects', 'runs'];

test('when something could not be asked, then what was found is told, and what is missing', () => {
  const found = gather(
    [
      { status: 'fulfilled', value: [place] },
      { status: 'rejected', reason: new Error('The server cannot be reached') },
      { status: 'fulfilled', value: [] },
    ],
    names,
  );
  expect(found).toEqual({ places: [place], unasked: ['projects'] });
});

test('when there is no run with the id, then that is an answer', () => {
  const found = gather(
    [
      { status: 'fulfilled', value: [] },
      { status: 'fulfilled', value: [] },
      { status: 'rejected', reason: Object.assign(new Error('There is no such run.'), { status: 404 }) },
    ],
    names,
  );
  expect(found).toEqual({ places: [], unasked: [] });
});

test('when several names are listed, then they are as a sentence begins', () => {
  expect([listed(['runs']), listed(names)]).toEqual(['Runs', 'Deployments, projects and runs']);
});

test('when a list is looked through, then a part of a name or a whole id finds', () => {
  const ids = ['Night errors', 'Day errors', 'Cost'].map((name, index) => ({ name, id: `id-${index}` }));
  expect(named(ids, 'ERRORS').map(({ id }) => id)).toEqual(['id-0', 'id-1']);
  expect(named(ids, 'ID-2').map(({ name }) => name)).toEqual(['Cost']);
  expect(named(ids, 'id-').map(({ name }) => name)).toEqual([]);
});

const missing = () => Promise.reject(Object.assign(new Error('There is no such thread.'), { status: 404 }));
const silent = () => new Promise<typeof place>(() => {});
const refused = () => Promise.reject(new Error('The server cannot be reached'));

test('when one of several has it, then nobody waits for those that do not answer', async () => {
  expect(await firstFound([silent(), missing(), Promise.resolve(place)], names)).toEqual([place]);
  expect(await firstFound([refused(), Promise.resolve(place)], names)).toEqual([place]);
});

test('when none of several has it, then that is said only where all could be asked', async () => {
  expect(await firstFound([missing(), missing()], names)).toEqual([]);
  expect(await firstFound([], [])).toEqual([]);
  await expect(firstFound([missing(), refused()], names)).rejects.toThrow(/^Projects could not be asked$/);
});
