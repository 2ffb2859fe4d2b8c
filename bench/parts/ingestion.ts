import { randomBytes } from 'node:crypto';
import { uuidv7 } from '../../packages/kit/src/index.ts';
import { withDatabaseName } from '../../packages/postgres/src/index.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';
import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { openInsertFloor } from '../support/insert-floor.ts';
import { measure, post } from '../support/measure.ts';
import { atLeast, type Report } from '../support/report.ts';
import { untilFound } from '../support/until-found.ts';

/** Runs of a batch. */
export const RUNS = 100;
const REQUESTS = 200;
const LOAD = { concurrency: 8, warm: 0 } as const;

/**
 * Traces by `POST /runs/batch`, acknowledged when committed, against a bare insert of the rows that came of it; and until
 * filters find them, against one of search rows with their indexes as well.
 */
export async function ingestion(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  await using postgres = await startEmbeddedPostgres({ folder: `${home.path}/postgres` });
  await using platform = await startPlatform(`${home.path}/data`, {
    env: { DATABASE_URL: postgres.url('postgres') },
  });
  const count = REQUESTS * scale;
  const warm = count / 4;
  // Made before the clock starts: what a client does is not measured.
  const bodies = Array.from({ length: count + warm }, batchOfModelCalls);
  const send = async () => {
    const answer = await post(
      `${platform.url}/runs/batch`,
      { 'x-api-key': platform.key },
      bodies.pop() ?? '',
    );
    if (answer.status !== 202) throw new Error(answer.text);
  };
  await measure({ ...LOAD, count: warm, warm: 0 }, send);
  const url = withDatabaseName(postgres.url('postgres'), 'roadstead_traces');
  await untilFound(url);
  const began = performance.now();
  const sent = await measure({ ...LOAD, count, warm: 0 }, send);
  await untilFound(url);
  const found_per_s = count / ((performance.now() - began) / 1000);
  report.row(`POST /runs/batch, ${RUNS} runs a request, at 8`, sent, rate(sent.per_s));
  report.note(`until filters find them: ${rate(found_per_s)}`);
  for (const { name, is_found, per_s } of [
    { name: 'acknowledged', is_found: false, per_s: sent.per_s },
    { name: 'found by filters', is_found: true, per_s: found_per_s },
  ]) {
    await using floor = await openInsertFloor(url, { is_found });
    const inserted = await measure({ ...LOAD, count }, () => floor.insert(RUNS));
    report.row(`the same rows, inserted: ${name}`, inserted, rate(inserted.per_s));
    report.ratio(
      `trace ingestion against a bare insert of its rows, until ${name}`,
      (per_s / inserted.per_s) * 100,
      atLeast(50, '%'),
    );
  }
}

const rate = (requests_per_s: number) => `${(requests_per_s * RUNS).toFixed(0)} runs/s`;

/** Runs of a model call each, with a kilobyte of text that doesn't compress well. */
export function batchOfModelCalls(): string {
  const at = new Date().toISOString();
  const post_ = Array.from({ length: RUNS }, () => {
    const id = uuidv7();
    return {
      id,
      trace_id: id,
      dotted_order: `${at.replaceAll(/[-:.Z]/g, '')}000Z${id}`,
      name: 'ChatModel',
      run_type: 'llm',
      session_name: 'bench',
      start_time: at,
      end_time: at,
      inputs: { messages: [{ role: 'user', content: randomBytes(384).toString('base64') }] },
      outputs: {
        message: { role: 'assistant', content: randomBytes(384).toString('base64') },
        usage_metadata: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
      },
      extra: { metadata: { model: 'bench', thread_id: id }, runtime: { sdk: 'none' } },
      tags: ['bench'],
    };
  });
  return JSON.stringify({ post: post_, patch: [] });
}
