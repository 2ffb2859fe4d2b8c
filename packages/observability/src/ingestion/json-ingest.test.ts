import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import { ingestions, startFixture } from '../testing/observability-fixture.ts';
import { bytesClient, sentRoot, stamp } from '../testing/sent-runs.ts';

/** Runs as JSON, at the level of bytes, and the runs that are read back. */

describe.each(ingestions)('when JSON is taken in %s', (_where, where) => {
  const fixture = useFixture(() => startFixture(where));

  const { json, read, readText, statusOf } = bytesClient(() => fixture());

  describe('JSON', () => {
    it('when batches, single runs and patches come, then they are taken, and their bytes kept', async () => {
      const [a, b] = [uuidv7(), uuidv7()];
      const batch = `{"post":[${sentRoot(a).slice(0, -1)},"inputs":{"n":12345678901234567890}}],
      "patch":[{"id":"${a}","trace_id":"${a}","dotted_order":"${stamp}${a}","outputs":{ "m":1.0},"end_time":"2026-01-05T10:20:31Z"}]}`;
      expect((await json('/runs/batch', batch)).status).toBe(202);
      expect(await readText(a)).toContain('"inputs":{"n":12345678901234567890}');
      expect(await readText(a)).toContain('"outputs":{ "m":1.0}');
      expect((await json('/runs', { id: b, name: 'plain', run_type: 'tool', inputs: {} })).status).toBe(202);
      expect(await read(b)).toMatchObject({ trace_id: b, status: 'pending', name: 'plain' });
      expect(
        (await json(`/runs/${b}`, { outputs: { done: true }, end_time: Date.now() }, 'PATCH')).status,
      ).toBe(202);
      expect(await read(b)).toMatchObject({
        outputs: { done: true },
        status: 'success',
        name: 'plain',
        trace_id: b,
      });
    });

    it.each([
      ['/runs/batch', '{"post":{}}', 'post'],
      ['/runs/batch', '[]', 'body'],
      ['/runs/batch', '{"post":[{"id":"x"}]}', 'post.0.id'],
      ['/runs/batch', '{"patch":[3]}', 'patch.0'],
      ['/runs', '{"id":7}', 'body.id'],
      ['/runs', '{"run_type":"agent"}', 'body.run_type'],
      ['/runs/batch', `{"post":[{"id":"${uuidv7()}","run_type":"agent"}]}`, 'post.0.run_type'],
      ['/runs', '{"name" "x"}', 'body'],
      ['/runs', '', 'body'],
    ])('when %s gets %s, then it refuses it and names the place', async (path, body, named) => {
      const response = await json(path, body);
      expect(response.status).toBe(422);
      expect(((await response.json()) as { details: string }).details).toContain(named);
    });

    it.each([
      ['is nested too deeply', `${'['.repeat(600)}${']'.repeat(600)}`],
      ['holds too many values', `[${'1,'.repeat(2_000_000)}1]`],
    ])('when a field of a run %s, then the answer says so', async (_what, name) => {
      const [id, other] = [uuidv7(), uuidv7()];
      const run = `${sentRoot(id).slice(0, -1)},"tags":${name}}`;
      const answer = await json('/runs/batch', `{"post":[${run},${sentRoot(other)}]}`);
      expect([answer.status, await answer.text()]).toEqual([
        202,
        expect.stringContaining(
          'post.0.tags is nested too deeply or holds too many values, and is left out',
        ) as string,
      ]);
      expect(await read(id)).toMatchObject({ id });
      expect(await read(other)).toMatchObject({ id: other });
    });

    it.each([
      ['inputs', '{"deep":', '}', { omitted: expect.stringContaining('nested') as string }],
      [
        'events',
        '[{"deep":',
        '}]',
        [{ name: 'omitted', message: expect.stringContaining('nested') as string }],
      ],
      ['error', '{"deep":', '}', expect.stringContaining('nested') as string],
    ] as const)(
      'when the %s of one run are nested too deeply, then a note replaces them; others are kept',
      async (kind, open, close, note) => {
        const [deep, ...plain] = Array.from({ length: 11 }, () => uuidv7());
        const nested = `${open.repeat(1)}${'['.repeat(600)}${']'.repeat(600)}${close}`;
        const runs = [
          `${sentRoot(deep ?? '').slice(0, -1)},"${kind}":${nested},"outputs":{"kept":true}}`,
          ...plain.map((id) => sentRoot(id)),
        ];
        const answer = await json('/runs/batch', `{"post":[${runs.join(',')}]}`);
        expect(answer.status).toBe(202);
        expect(await answer.text()).toContain(`post.0.${kind}`);
        expect(await read(deep ?? '')).toMatchObject({ [kind]: note, outputs: { kept: true } });
        for (const id of plain) expect(await read(id)).toMatchObject({ id });
      },
    );

    it('when a run without a parent names another trace, then it is the root of its own', async () => {
      const [id, other, session_name] = [uuidv7(), uuidv7(), `roots ${uuidv7()}`];
      const answer = await json('/runs', {
        ...(JSON.parse(sentRoot(id)) as object),
        trace_id: other,
        session_name,
      });
      expect(answer.status).toBe(202);
      expect(await answer.text()).toContain('body.trace_id is another run');
      const { session_id } = (await read(id)) as { session_id: string };
      const roots = await fixture()
        .client()
        .queryRuns({ body: { session: [session_id], is_root: true } });
      expect(roots.runs).toMatchObject([{ id, trace_id: id }]);
    });

    it('when a run is nested 600 levels deep, then it names all of its ancestors', async () => {
      const ids = Array.from({ length: 600 }, () => uuidv7());
      const orderOf = (level: number) =>
        ids
          .slice(0, level + 1)
          .map((id) => stamp + id)
          .join('.');
      const runs = ids.map((id, level) => ({
        ...(JSON.parse(sentRoot(id)) as object),
        trace_id: ids[0],
        dotted_order: orderOf(level),
        ...(level === 0 ? {} : { parent_run_id: ids[level - 1] }),
      }));
      expect((await json('/runs/batch', { post: runs })).status).toBe(202);
      expect(await read(ids.at(-1) ?? '')).toMatchObject({ parent_run_ids: ids.slice(0, -1) });
    });

    it('when a run has no id, then one is made', async () => {
      const name = `nameless ${uuidv7()}`;
      expect((await json('/runs', { name, run_type: 'tool', inputs: {}, session_name: name })).status).toBe(
        202,
      );
      const [session] = (await (
        await fixture().send(`/sessions?name=${encodeURIComponent(name)}`)
      ).json()) as {
        id: string;
      }[];
      const found = await json('/runs/query', { session: [session?.id] });
      expect(((await found.json()) as { runs: object[] }).runs).toEqual([expect.objectContaining({ name })]);
    });

    it('when a batch holds a bare NaN or what is no run, then its other runs are stored', async () => {
      const [a, b, c] = [uuidv7(), uuidv7(), uuidv7()];
      const bad = `${sentRoot(b).slice(0, -1)},"inputs":{"x":NaN},"outputs":{"y":1},"end_time":"","tags":Infinity}`;
      const response = await json(
        '/runs/batch',
        `{"post":[${sentRoot(a)},${bad},7,{"id":"x"},${sentRoot(c)}]}`,
      );
      expect(response.status).toBe(202);
      const { issues } = (await response.json()) as { issues: { loc: string[] }[] };
      expect(new Set(issues.map((issue) => issue.loc[0]))).toEqual(
        new Set(['post.1.end_time', 'post.1.inputs', 'post.1.tags', 'post.2', 'post.3.id']),
      );
      expect(await Promise.all([a, b, c].map(statusOf))).toEqual([200, 200, 200]);
      expect(await read(b)).toMatchObject({
        inputs: { text: '{"x":NaN}' },
        outputs: { y: 1 },
        end_time: null,
      });
    });

    it('when a patch says something of extra, then it is laid over what the post said', async () => {
      const id = uuidv7();
      const extra = { runtime: { sdk: 'js', n: 1 }, metadata: { a: 1, b: 1 }, batch: 1 };
      const extraOf = async () => (await read(id))['extra'];
      await json('/runs', { ...(JSON.parse(sentRoot(id)) as object), extra });
      await json(`/runs/${id}`, { extra: {} }, 'PATCH');
      expect(await extraOf()).toEqual({ ...extra, metadata: { a: 1, b: 1, ls_run_depth: 0 } });
      await json(`/runs/${id}`, { extra: { metadata: { b: 2, c: 3 }, runtime: null } }, 'PATCH');
      await json('/runs', {
        ...(JSON.parse(sentRoot(id)) as object),
        extra: { metadata: { a: 9, c: 9, d: 9 } },
      });
      expect(await extraOf()).toEqual({
        ...extra,
        metadata: { a: 1, b: 2, c: 3, d: 9, ls_run_depth: 0 },
      });
    });

    it('when the id of a patch is no run id, then it is refused', async () => {
      expect((await json('/runs/nothing', {}, 'PATCH')).status).toBe(422);
    });
  });
});
