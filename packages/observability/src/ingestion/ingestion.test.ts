import { createLog, uuidv7 } from '@roadstead/kit';
import { describe, expect, it } from 'vitest';
import { startIngestion } from '../testing/ingestion-fixture.ts';
import { ingestions, type Fixture, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { lockRuns, untilLocked } from '../testing/locked-runs.ts';
import { sentRoot } from '../testing/sent-runs.ts';

/** Facts about ingestion that hold on any thread. */

const send = (fixture: Fixture, id = uuidv7(), more: object = {}) =>
  fixture.send('/runs', { method: 'POST', body: sentRoot(id, more) });

describe.each(ingestions)('when traces are taken in %s', (_where, where) => {
  it('when traces are acknowledged, then a search finds them at once', async () => {
    await using fixture = await startFixture(where);
    for (const word of ['heron', 'lapwing', 'plover']) {
      const id = uuidv7();
      expect((await send(fixture, id, { inputs: { seen: word } })).status).toBe(202);
      const body = JSON.stringify({ trace: id, filter: `search("${word}")` });
      const headers = { 'content-type': 'application/json' };
      const found = await fixture.send('/runs/query', { method: 'POST', body, headers });
      expect(await found.json()).toMatchObject({ runs: [{ inputs: { seen: word } }] });
    }
  });

  it('when limits or prices were changed a moment ago, then traces are held against the new ones', async () => {
    await using fixture = await startFixture(where);
    const client = fixture.client();
    const id = uuidv7();
    const call = {
      run_type: 'llm',
      extra: { metadata: { ls_model_name: 'm' } },
      outputs: { usage_metadata: { input_tokens: 10, output_tokens: 1, total_tokens: 11 } },
    };
    await send(fixture, uuidv7(), call);
    await client.createModelPrice({
      body: { name: 'm', match_pattern: '^m$', prompt_cost: 0.5, completion_cost: 1 },
    });
    expect((await send(fixture, id, call)).status).toBe(202);
    expect(await (await fixture.send(`/runs/${id}`)).json()).toMatchObject({ total_cost: 6 });
    const limit = await client.setUsageLimit({ body: { limit_type: 'monthly_traces', limit_value: 2 } });
    const refused = await send(fixture);
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('2')]);
    await client.deleteUsageLimit({ params: { usage_limit_id: limit.id } });
    expect((await send(fixture)).status).toBe(202);
  });

  it('when the database leaves, then traces are refused for a moment, and taken once it is back', async () => {
    await using fixture = await startFixture(where);
    const { db } = fixture.fresh;
    const id = uuidv7();
    {
      await using _lock = await lockRuns(db);
      const answer = send(fixture, id);
      await db.query('select pg_terminate_backend($1)', [await untilLocked(db)]);
      const { status, headers } = await answer;
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    }
    expect((await send(fixture, id)).status).toBe(202);
  });

  it('when something is wrong here, then traces are answered with 500, and the log says what', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'error', write: (line) => void lines.push(line) });
    await using fixture = await startFixture({ ...where, log });
    await fixture.fresh.db.run('alter table traces.usage_limits rename to elsewhere');
    const answer = await send(fixture);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('usage_limits');
    const failed = lines.filter((line) => line.includes('request failed'));
    expect(failed).toEqual([expect.stringMatching(/createRun.*traces\.usage_limits.*\.ts:\d+/)]);
  });

  it('when ingestion is disposed of, then its traces are committed first, and no others taken', async () => {
    await using fixture = await startIngestion(where);
    const { ingestion, fresh } = fixture;
    const id = uuidv7();
    const take = (run_id: string) =>
      ingestion.take({ dialect: 'run', workspace_id: WORKSPACE, bytes: Buffer.from(sentRoot(run_id)) });
    const lock = await lockRuns(fresh.db);
    const taken = take(id);
    await untilLocked(fresh.db);
    let isDisposed = false;
    const disposed = ingestion[Symbol.asyncDispose]().then(() => (isDisposed = true));
    await expect(take(uuidv7())).rejects.toMatchObject({ kind: 'unavailable', retry_after_s: 2 });
    expect(isDisposed).toBe(false);
    await lock[Symbol.asyncDispose]();
    expect(await taken).toEqual({ answer: { message: 'Stored.' }, rejected: 0 });
    await disposed;
    expect(await fresh.db.query('select run_id from traces.runs')).toEqual([{ run_id: id }]);
  });
});
