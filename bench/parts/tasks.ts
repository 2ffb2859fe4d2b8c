import { measure, post, sendMessage } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

const TASKS = 100_000;
const CALLS = 400;

interface Page {
  readonly tasks: readonly { readonly id: string; readonly contextId: string }[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** `ListTasks` over HTTP where there are 100,000 tasks: whichever page, and whatever is asked for. */
export async function tasks(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  const url = bench.address('untraced', 'echo');
  const made = TASKS * scale;
  const load = { count: made, concurrency: 32, warm: 0 };
  report.row(`${made} tasks made`, await measure(load, sendMessage(url, bench.headers)));
  const list = async (params: object): Promise<Page> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params });
    const answer = await post(url, { 'a2a-version': '1.0', ...bench.headers }, body);
    const { result } = JSON.parse(answer.text) as { result?: Page };
    if (result === undefined) throw new Error(answer.text.slice(0, 500));
    return result;
  };
  const first = await list({ pageSize: 100 });
  if (first.totalSize < made) throw new Error(`${first.totalSize} tasks are listed, ${made} were made.`);
  let deep = first;
  for (let walked = 100; walked < made / 2; walked += 100)
    deep = await list({ pageSize: 100, pageToken: deep.nextPageToken });
  const questions: readonly (readonly [string, object])[] = [
    ['the newest 50', {}],
    ['the newest 100, with artifacts', { pageSize: 100, includeArtifacts: true }],
    ['100 in the middle', { pageSize: 100, pageToken: deep.nextPageToken }],
    ['those of a context', { contextId: deep.tasks[0]?.contextId }],
    ['those that ask for something, which none does', { status: 'TASK_STATE_INPUT_REQUIRED' }],
  ];
  let worst = 0;
  for (const [title, params] of questions) {
    const measured = await measure({ count: CALLS, concurrency: 1, warm: 20 }, () => list(params));
    report.row(title, measured);
    worst = Math.max(worst, measured.p99_ms);
  }
  report.ratio(`p99 of a page of ListTasks in ${made}`, worst, atMost(50, 'ms'));
}
