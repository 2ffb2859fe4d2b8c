import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readTypes } from './static-types.ts';

const require = createRequire(import.meta.url);
/** A TypeScript with the API that projects have; the checkout's own is later. */
const typescript = createRequire(require.resolve('oazapfts')).resolve('typescript');
const file = fileURLToPath(new URL('../../fixtures/typescript/src/typed.ts', import.meta.url));
const at = { typescript, file };

test.each(['compiled', 'builder', 'make', 'promised'])(
  'when a graph is exported as %s, then its types are read',
  async (export_name) => {
    const types = await readTypes({ ...at, export_name });
    expect(types?.Input).toMatchObject({
      type: 'object',
      properties: {
        topic: { type: 'string', description: 'What it is about.' },
        mood: { enum: ['dry', 'warm'] },
        log: { type: 'array', items: { type: 'object', properties: { at: { type: 'number' } } } },
        done: { type: 'boolean' },
      },
    });
    expect(types?.Output).toMatchObject({ properties: { topic: { type: 'string' } } });
    expect(types?.Context).toMatchObject({ properties: { user: { type: 'string' } } });
  },
);

test.each([
  [
    'a TypeScript without such an API',
    { ...at, typescript: require.resolve('typescript'), export_name: 'compiled' },
  ],
  ['no TypeScript', { ...at, typescript: '/nowhere', export_name: 'compiled' }],
  ['an export with a strange name', { ...at, export_name: "x } from 'y'; import { z" }],
])('when there is %s, then no types are told', async (_name, task) => {
  expect(await readTypes(task)).toBeUndefined();
});
