import type { IncomingMessage } from 'node:http';
import { ownHosts } from '@roadstead/contracts';
import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { Places } from './places.ts';

const A = 'http://10.0.0.1:4190';
const B = 'http://10.0.0.2:4190';

/** A control plane that knows these places, and an edge that asks it. */
function edge() {
  const world = {
    now: 0,
    asked: 0,
    is_away: false,
    is_unproven: false,
    version: '1',
    places: [{ slug: 'mine', address: A, custom_url: null as string | null }],
    data_planes: [A],
  };
  const places = new Places({
    client: {
      readPlaces: async ({ query }) => {
        world.asked += 1;
        if (world.is_away) throw new Error('It is away.');
        const { version, places, data_planes } = world;
        return query?.version === version
          ? { version, places: null, data_planes: null }
          : { version, places, data_planes };
      },
    },
    assertion: async () => {
      if (world.is_unproven) throw new Error('Identity is away.');
      return 'signed';
    },
    isOwn: ownHosts(['https://roadstead.example']),
    log: silentLog,
    now: () => world.now,
  });
  const call = (url: string) => ({ url }) as IncomingMessage;
  return {
    world,
    places,
    find: async (url: string) => (await places.find(call(url)))?.at,
    findAgain: async (url: string) => (await places.findAgain(call(url)))?.at,
  };
}

test('when an agent is called, then it is found, with what proves the edge; once a second is asked', async () => {
  const { world, places, find } = edge();
  expect(await places.find({ url: '/agents/mine/info?x=1' } as IncomingMessage)).toEqual({
    at: { url: A },
    inward: { 'x-roadstead-assertion': 'signed' },
  });
  expect(await find('/agents/mine')).toEqual({ url: A });
  expect(world.asked).toBe(1);
  world.now = 1001;
  expect(await find('/agents/mine')).toEqual({ url: A });
  expect(world.asked).toBe(2);
});

test('when a name is nobody’s, then any data plane is asked, as anybody would, and where there is none, nobody', async () => {
  const { world, places, find } = edge();
  expect(await places.find({ url: '/agents/absent/info' } as IncomingMessage)).toEqual({ at: { url: A } });
  Object.assign(world, { version: '2', places: [], data_planes: [], now: 1001 });
  await find('/agents/absent');
  expect(await find('/agents/absent')).toBeUndefined();
});

test('when an agent has moved, then a second look finds it, and that nobody has it is an answer', async () => {
  const { world, find, findAgain } = edge();
  await find('/agents/mine');
  Object.assign(world, { version: '2', places: [{ slug: 'mine', address: B, custom_url: null }] });
  expect(await find('/agents/mine')).toEqual({ url: A });
  expect(await findAgain('/agents/mine')).toEqual({ url: B });
  expect(await find('/agents/mine')).toEqual({ url: B });
  Object.assign(world, { version: '3', places: [] });
  // Asked without what proves the edge, a data plane answers as anybody's caller deserves.
  expect(await findAgain('/agents/mine')).toEqual({ url: A });
});

test('when identity is away, then agents are called by the proof that is still good, then without one', async () => {
  const { world, places, find } = edge();
  await find('/agents/mine');
  world.is_unproven = true;
  world.now = 15_000;
  const call = { url: '/agents/mine' } as IncomingMessage;
  expect(await places.find(call)).toMatchObject({ inward: { 'x-roadstead-assertion': 'signed' } });
  world.now = 25_000;
  expect(await places.find(call)).toEqual({ at: { url: A } });
});

test('when an older deployment names the host of another, then that keeps it until it lets it go', async () => {
  const { world, places } = edge();
  const named = (slug: string, host: string | null) => ({
    slug,
    address: A,
    custom_url: host === null ? null : `https://${host}`,
  });
  world.places = [named('old', null), named('mine', 'agent.example.com')];
  expect(await places.slugAt('agent.example.com')).toBe('mine');
  Object.assign(world, {
    version: '2',
    now: 1001,
    places: [named('old', 'agent.example.com'), named('mine', 'agent.example.com')],
  });
  await places.find({ url: '/agents/mine' } as IncomingMessage);
  await places.findAgain({ url: '/agents/mine' } as IncomingMessage);
  expect(await places.slugAt('agent.example.com')).toBe('mine');
  Object.assign(world, { version: '3', places: [named('old', 'agent.example.com'), named('mine', null)] });
  await places.findAgain({ url: '/agents/mine' } as IncomingMessage);
  expect(await places.slugAt('agent.example.com')).toBe('old');
});

test('when the control plane is away, then what was known last counts', async () => {
  const { world, find, findAgain } = edge();
  await find('/agents/mine');
  Object.assign(world, { is_away: true, now: 5000 });
  expect(await find('/agents/mine')).toEqual({ url: A });
  expect(await findAgain('/agents/mine')).toEqual({ url: A });
});

test('when deployments name hosts of their own, then the first has it, and ours are nobody’s', async () => {
  const { world, places } = edge();
  world.places = [
    { slug: 'first', address: A, custom_url: 'https://agent.example.com' },
    { slug: 'second', address: A, custom_url: 'https://agent.example.com/' },
    { slug: 'third', address: A, custom_url: 'https://proxied.example.com/path' },
    { slug: 'fourth', address: A, custom_url: 'https://roadstead.example' },
  ];
  expect(await places.slugAt('agent.example.com:443')).toBe('first');
  expect(await places.slugAt('proxied.example.com')).toBeUndefined();
  expect(places.slugAt('roadstead.example')).toBeUndefined();
  expect(places.slugAt(undefined)).toBeUndefined();
});
