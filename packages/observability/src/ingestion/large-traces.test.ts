import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** Traces of the largest allowed size. */

const fixture = useFixture(startFixture);

it('when 5,000 runs come late, twice and in any order, then their trace reads as it was sent', async () => {
  const root = uuidv7();
  const ids = [root, ...Array.from({ length: 4999 }, () => uuidv7())];
  const stamp = (at: number) => `20260105T1020${String(10 + (at % 50))}${String(at).padStart(6, '0')}Z`;
  const orders: string[] = [];
  const place = (at: number) => {
    const parent = at === 0 ? undefined : Math.floor((at - 1) / 7);
    const above = parent === undefined ? '' : `${orders[parent]}.`;
    orders[at] = `${above}${stamp(at)}${ids[at]}`;
    return {
      id: ids[at],
      trace_id: root,
      parent_run_id: parent === undefined ? null : ids[parent],
      dotted_order: orders[at],
    };
  };
  const halves = ids.flatMap((_, at) => {
    const where = place(at);
    const started = { ...where, name: `run ${at}`, run_type: 'chain', session_name: 'large', inputs: { at } };
    return [
      { verb: 'post', run: started },
      {
        verb: 'patch',
        run: { ...where, end_time: '2026-01-05T10:21:30Z', outputs: { at, text: 'ü'.repeat(at % 40) } },
      },
    ];
  });
  // Every half once, one in ten twice, in an order independent of that of the runs.
  const sent = [...halves, ...halves.filter((_, at) => at % 10 === 0)]
    .map((half, at) => ({ half, rank: (at * 7919) % 10_007 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ half }) => half);
  for (let from = 0; from < sent.length; from += 500) {
    const some = sent.slice(from, from + 500);
    const of = (verb: string) => some.filter((half) => half.verb === verb).map(({ run }) => run);
    const body = JSON.stringify({ post: of('post'), patch: of('patch') });
    expect((await fixture().send('/runs/batch', { method: 'POST', body })).status).toBe(202);
  }
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const body = JSON.stringify({
      trace: root,
      limit: 100,
      select: ['id', 'inputs', 'outputs', 'dotted_order', 'parent_run_id', 'status'],
      ...(cursor === null ? {} : { cursor }),
    });
    const answer = await fixture().send('/runs/query', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const page = (await answer.json()) as {
      runs: Record<string, unknown>[];
      cursors: { next: string | null };
    };
    found.push(...page.runs);
    cursor = page.cursors.next;
  }
  const byId = new Map(found.map((run) => [run['id'], run]));
  expect([found.length, byId.size]).toEqual([5000, 5000]);
  for (const [at, id] of ids.entries())
    expect(byId.get(id)).toMatchObject({
      inputs: { at },
      outputs: { at, text: 'ü'.repeat(at % 40) },
      dotted_order: orders[at],
      parent_run_id: at === 0 ? null : ids[Math.floor((at - 1) / 7)],
      status: 'success',
    });
  const { run_count } = await fixture().fresh.db.one<{ run_count: number }>(
    'select run_count from traces.traces where trace_id = $1',
    [root],
  );
  expect(run_count).toBe(5000);
});

it('when a trace is full, then a further run is refused, and others of its request are stored', async () => {
  const [full, other] = [uuidv7(), uuidv7()];
  const runOf = (trace_id: string, id: string) => ({
    id,
    trace_id,
    dotted_order: `x${trace_id}.x${id}`,
    name: 'n',
  });
  const post = (path: string, body: object) =>
    fixture().send(path, { method: 'POST', body: JSON.stringify(body) });
  await post('/runs', { ...runOf(full, full), dotted_order: `x${full}` });
  await fixture().fresh.db.run('update traces.traces set run_count = 25000 where trace_id = $1', [full]);
  const refused = uuidv7();
  const answer = await post('/runs/batch', {
    post: [runOf(full, refused), { ...runOf(other, other), dotted_order: `x${other}` }],
  });
  expect(answer.status).toBe(202);
  expect(await answer.json()).toMatchObject({
    issues: [{ loc: [refused], msg: expect.stringContaining(full) as unknown }],
  });
  expect((await fixture().send(`/runs/${other}`)).status).toBe(200);
  expect((await fixture().send(`/runs/${refused}`)).status).toBe(404);
  // Another part of a stored run is no additional run.
  const late = await fixture().send(`/runs/${full}`, {
    method: 'PATCH',
    body: JSON.stringify({ ...runOf(full, full), dotted_order: `x${full}`, outputs: {} }),
  });
  expect(late.status).toBe(202);
  expect((await post('/runs', runOf(full, uuidv7()))).status).toBe(400);
});
