import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDatabase } from '../../packages/postgres/src/index.ts';
import { dataHome, type RunningPlatform } from '../../test/support/platform.ts';
import { randomOf } from '../support/agent-traces.ts';
import { fillWithRuns, manyRunsOf, startOnPostgres } from '../support/many-runs.ts';
import { measure, post } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { type Question, questionsOf } from '../support/trace-questions.ts';

const CALLS = 100;
/** So many that each project was asked about. */
const WARM = 50;

/** What was written into a folder, from which the same questions can be made again. */
interface FolderContents {
  readonly runs: number;
  readonly at_ms: number;
}

/**
 * What people look for among so many runs, over HTTP; `--runs 1000000` for all of them. With `--data FOLDER` the runs are
 * kept there, and asked again the next time.
 */
export async function reads(
  report: Report,
  { runs, data }: { readonly runs: number; readonly data: string | undefined },
): Promise<void> {
  await using home = data === undefined ? await dataHome() : { path: resolve(data), ...kept };
  const mark = join(home.path, 'filled.json');
  const before = await readFile(mark, 'utf8').catch(() => undefined);
  const filled = before === undefined ? { runs, at_ms: Date.now() } : (JSON.parse(before) as FolderContents);
  const many = manyRunsOf(filled);
  if (before === undefined) {
    await using started = await startOnPostgres(home.path);
    await fillWithRuns(report, started, many);
    await tellSizes(report, started.database);
    await writeFile(mark, JSON.stringify(filled));
  }
  for (const question of questionsOf(many.traces, many.copies)) {
    await using opened = await startOnPostgres(home.path);
    await tellAnswer(report, opened.platform, question);
  }
}

const kept = { [Symbol.asyncDispose]: async () => {} };

async function tellSizes(report: Report, database: string): Promise<void> {
  await using db = openDatabase({ url: database, max: 1, name: 'bench', limit_ms: 600_000 });
  const { runs } = await db.one<{ runs: number }>('select count(*) as runs from traces.runs');
  const parts = await db.query<{ name: string; bytes: number }>(
    `select coalesce(regexp_replace(relname, '_(short|long)lived.*', ''), '') as name,
       sum(pg_table_size(oid))::int8 as bytes from pg_class
     where relnamespace = 'traces'::regnamespace and relkind = 'r'
     group by 1 having sum(pg_table_size(oid)) > 1e6
     union all
     select regexp_replace(indrelid::regclass::text, '^traces\\.|_(short|long)lived.*', '', 'g') || ' ' || am.amname,
       sum(pg_relation_size(indexrelid))::int8
     from pg_index join pg_class c on c.oid = indexrelid join pg_am am on am.oid = c.relam
     where c.relnamespace = 'traces'::regnamespace and c.relkind = 'i' group by 1
     having sum(pg_relation_size(indexrelid)) > 1e6 order by bytes desc`,
  );
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  report.note(
    `${runs} runs, ${(total / runs).toFixed(0)} bytes a run on disk: ` +
      parts.map(({ name, bytes }) => `${name} ${(bytes / runs).toFixed(0)}`).join(', '),
  );
}

async function tellAnswer(report: Report, platform: RunningPlatform, question: Question): Promise<void> {
  const headers = { 'x-api-key': platform.key };
  const listed = await fetch(`${platform.url}/sessions`, { headers });
  const sessions = (await listed.json()) as { readonly id: string; readonly name: string }[];
  const projects = new Map(sessions.map(({ id, name }) => [name, id]));
  const random = randomOf(1);
  const call = async () => {
    const { path, body } = question.request(random, projects);
    const url = `${platform.url}${path}`;
    if (body !== undefined) {
      const answer = await post(url, headers, JSON.stringify(body));
      if (answer.status !== 200) throw new Error(`${question.name}: ${answer.text.slice(0, 500)}`);
      return;
    }
    const answer = await fetch(url, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${question.name}: ${text.slice(0, 500)}`);
  };
  const cold = await measure({ count: 1, concurrency: 1, warm: 0 }, call);
  const warm = await measure({ count: CALLS, concurrency: 1, warm: WARM }, call);
  report.row(question.name, warm, `first ${cold.p50_ms.toFixed(0)} ms`);
  report.ratio(`${question.name}, p99`, warm.p99_ms, atMost(question.most_ms ?? 50, 'ms'));
}
