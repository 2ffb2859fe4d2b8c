import { startLangGraphApi } from '../support/langgraph-api.ts';
import { type Load, measure, type Measurement, percentile, post } from '../support/measure.ts';
import { atLeast, atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';
import { human, type WaitServer, waitFor } from '../support/wait-call.ts';

export interface WaitOptions {
  readonly scale: number;
  /** A folder in which `@langchain/langgraph-api` is installed; without it ours is measured alone. */
  readonly peer: string | undefined;
}

/** `POST /runs/wait`, durable, against the original's server in memory; and turns of threads of different lengths. */
export async function wait(report: Report, { scale, peer }: WaitOptions): Promise<void> {
  await using bench = await startBenchPlatform();
  const origin = new URL(bench.address('untraced', 'graph')).origin;
  const ours = { url: `${origin}/agents/untraced`, headers: bench.headers };
  const at1 = { count: 500 * scale, concurrency: 1, warm: 300 * scale };
  const at32 = { count: 3000 * scale, concurrency: 32, warm: 2000 * scale };
  const one = report.row('Roadstead, /runs/wait, at 1', await measure(at1, waitFor(ours)));
  const many = report.row('Roadstead, /runs/wait, at 32', await measure(at32, waitFor(ours)));
  if (peer !== undefined) await against(report, { one, many, peer, scale });
  const [short, long] = [await turns(ours, 10), await turns(ours, 500)];
  report.note(`a turn, p50: ${short.toFixed(2)} ms at length 10, ${long.toFixed(2)} ms at length 500`);
  report.ratio('a turn at length 500 against one at length 10', long / short, atMost(2, '×'));
}

interface Against {
  readonly one: Measurement;
  readonly many: Measurement;
  readonly peer: string;
  readonly scale: number;
}

async function against(report: Report, { one, many, peer, scale }: Against): Promise<void> {
  await using api = await startLangGraphApi(peer);
  const call = waitFor({ url: api.url, headers: {} });
  const load = (concurrency: number): Load => ({
    count: 20 * scale * concurrency,
    concurrency,
    warm: concurrency,
  });
  const theirs = report.row('@langchain/langgraph-api, in memory, at 1', await measure(load(1), call));
  const theirMany = report.row('@langchain/langgraph-api, in memory, at 32', await measure(load(32), call));
  report.ratio('/runs/wait at 1, p50', theirs.p50_ms / one.p50_ms, atLeast(50, '×'));
  report.ratio('/runs/wait at 32', many.per_s / theirMany.per_s, atLeast(6, '×'));
}

const TURNS = 40;

/** The median of the turn that follows so many messages, each on a thread of its own. */
async function turns({ url, headers }: WaitServer, length: number): Promise<number> {
  const times: number[] = [];
  const history = Array.from({ length: length - 1 }, (_, at) =>
    human(`message ${at} of a long conversation`),
  );
  for (let at = 0; at < TURNS; at += 1) {
    const address = `${url}/threads/${crypto.randomUUID()}/runs/wait`;
    const turn = async (messages: readonly object[]) => {
      const body = { assistant_id: 'graph', if_not_exists: 'create', input: { messages } };
      const { status, text } = await post(address, headers, JSON.stringify(body));
      if (status !== 200 || text.includes('__error__')) throw new Error(text.slice(0, 500));
    };
    await turn(history);
    const began = performance.now();
    await turn([human('hello')]);
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}
