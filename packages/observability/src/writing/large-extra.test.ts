import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** The parts of a run's `extra` from several calls are merged at any size. */

const fixture = useFixture(startFixture);

type Free = Readonly<Record<string, unknown>>;
const send = async (body: Free) => {
  const answer = await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify(body) });
  return [answer.status, await answer.json()] as const;
};
const extraOf = async (id: string) =>
  ((await (await fixture().send(`/runs/${id}`)).json()) as { readonly extra: { readonly metadata: Free } })
    .extra;
const begun = (id: string, metadata: Free) => ({
  id,
  name: 'run',
  run_type: 'chain',
  start_time: '2026-01-05T10:20:30Z',
  extra: { metadata },
});
const saying = (id: string, metadata: Free) => ({ id, extra: { metadata } });

it.each([10, 70_000, 3_000_000])(
  'when %i characters of metadata are said in several calls, then all of them are kept',
  async (chars) => {
    const texts = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, crypto.randomUUID().repeat(chars / 36)]),
    );
    const { a, b, c } = texts;
    const id = uuidv7();
    await send({ post: [begun(id, { a, said: 'first' })] });
    await send({ patch: [saying(id, { b, said: 'second' })] });
    await send({ patch: [saying(id, { c }), saying(id, { d: 'last' })] });
    expect((await extraOf(id)).metadata).toMatchObject({ ...texts, d: 'last', said: 'second' });
    const other = uuidv7();
    await send({ patch: [saying(other, { b, said: 'second' })] });
    await send({ post: [begun(other, { a, said: 'first' })], patch: [saying(other, { c, d: 'last' })] });
    expect((await extraOf(other)).metadata).toMatchObject({ ...texts, d: 'last', said: 'second' });
  },
);

it('when metadata would grow beyond its limit, then it stays, and the answer says so', async () => {
  const id = uuidv7();
  const long = (letter: string) => letter.repeat(12_000_000);
  await send({ post: [begun(id, { a: long('a') })] });
  const [status, answer] = await send({ patch: [saying(id, { b: long('b') })] });
  expect(status).toBe(202);
  expect(JSON.stringify(answer)).toContain('its extra would exceed the limit of one field');
  const { metadata } = await extraOf(id);
  expect([String(metadata['a']).length, metadata['b']]).toEqual([12_000_000, undefined]);
});
