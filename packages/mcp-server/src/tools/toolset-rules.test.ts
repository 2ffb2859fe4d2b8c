import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Access, Scope } from '@roadstead/contracts';
import { defaultToolsets, readToolsets, selectTools } from './toolset-rules.ts';
import { type Effect, tool } from './tool.ts';

const made = (name: string, { access, effect = 'reads' }: { access?: Access; effect?: Effect } = {}) =>
  tool({
    name,
    title: name,
    description: name,
    access,
    effect,
    input: z.strictObject({}),
    output: {},
    run: async () => ({}),
  });

const toolsets = {
  runs: [made('list', { access: 'traces:read' }), made('fetch', { access: 'traces:read' })],
  prompts: [made('prompt', { access: 'prompts:read' }), made('how', { effect: 'explains' })],
  acting: [
    made('commit', { access: 'prompts:write', effect: 'acts' }),
    made('send', { access: 'agents:invoke', effect: 'acts' }),
  ],
};

const by = (actor: string, scopes: readonly Scope[]) => ({ actor, scopes: [...scopes] });
const all = ['list', 'fetch', 'prompt', 'how', 'commit', 'send'];

describe('which tools a caller gets', () => {
  test.each<[string, Parameters<typeof selectTools>[1], readonly string[]]>([
    ['nothing asked', {}, ['list', 'fetch', 'prompt', 'how']],
    ['a blank text', { asked: ' , ' }, ['list', 'fetch', 'prompt', 'how']],
    ['default', { asked: 'default' }, ['list', 'fetch', 'prompt', 'how']],
    ['all', { asked: 'ALL' }, all],
    ['one, in any case', { asked: ' Runs ' }, ['list', 'fetch']],
    [
      'several, in the order of the toolsets',
      { asked: 'acting,runs,runs' },
      ['list', 'fetch', 'commit', 'send'],
    ],
    ['default and more', { asked: 'default,acting' }, all],
    ['a key of one scope', { caller: by('key:1', ['traces:read']) }, ['list', 'fetch', 'how']],
    [
      'all, for a key that only reads',
      { asked: 'all', caller: by('key:1', ['reader']) },
      ['list', 'fetch', 'prompt', 'how'],
    ],
    ['all, for an admin', { asked: 'all', caller: by('key:1', ['admin']) }, all],
    ['an admin who asks for nothing', { caller: by('key:1', ['admin']) }, ['list', 'fetch', 'prompt', 'how']],
    [
      'a grant with a scope that writes',
      { caller: by('oauth:1', ['traces:read', 'prompts:write']) },
      ['list', 'fetch', 'how', 'commit'],
    ],
    [
      'such a grant that asks for less',
      { asked: 'runs', caller: by('oauth:1', ['traces:read', 'prompts:write']) },
      ['list', 'fetch'],
    ],
    ['what the operator offers', { offered: ['runs'] }, ['list', 'fetch']],
    [
      'acting, where the operator named it',
      { offered: ['runs', 'acting'] },
      ['list', 'fetch', 'commit', 'send'],
    ],
    ['all that is offered', { asked: 'all', offered: ['runs'] }, ['list', 'fetch']],
    ['default of what is offered', { asked: 'default', offered: ['runs', 'acting'] }, ['list', 'fetch']],
    [
      'a grant, where acting isn’t offered',
      { offered: ['runs'], caller: by('oauth:1', ['admin']) },
      ['list', 'fetch'],
    ],
  ])(
    'when tools are selected, then they are those of the caller and the operator: %s',
    (_what, wanted, expected) => {
      expect(selectTools(toolsets, wanted).map(({ name }) => name)).toEqual(expected);
    },
  );

  test.each([
    [
      'runs,everything',
      undefined,
      'everything is no toolset of this server: runs, prompts, acting, all, default are.',
    ],
    ['acting', ['runs'], 'acting is no toolset of this server: runs, all, default are.'],
    ['__proto__', undefined, '__proto__ is no toolset'],
  ])('when the toolsets are %s, then they are refused in words', (asked, offered, said) => {
    expect(() => selectTools(toolsets, { asked, offered })).toThrow(said);
  });
});

test('when toolsets are named, then they are read in their own order, once each', () => {
  expect(readToolsets(toolsets, { text: 'acting, runs,acting' })).toEqual(['runs', 'acting']);
  expect(readToolsets(toolsets, { text: '' })).toEqual([]);
  expect(defaultToolsets(toolsets)).toEqual(['runs', 'prompts']);
});
