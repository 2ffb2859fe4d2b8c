import { Agent, request } from 'node:http';
import { percentile } from './measure.ts';
import type { Report } from './report.ts';

export interface StreamingServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly graph?: string;
}

export interface CallTimes {
  readonly all_ms: number;
  /** Each caller gives these with its call. */
  readonly first_ms: readonly number[];
  /** How late the event loop of an agent was at most, where it says so. */
  readonly late_ms: number | undefined;
}

export function told(report: Report, name: string, called: CallTimes): CallTimes {
  const [p50, p99] = [percentile(called.first_ms, 0.5), percentile(called.first_ms, 0.99)];
  report.note(
    `${name.padEnd(58)} all done after ${called.all_ms.toFixed(0)} ms, first token p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
  );
  return called;
}

/** So many callers at once of an agent that streams 40 words, until all have their last one. */
export async function callAll(server: StreamingServer, callers: number): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const began = performance.now();
  const calls = await Promise.all(Array.from({ length: callers }, () => call(server, agent)));
  agent.destroy();
  const late = calls.flatMap(({ late_ms }) => (late_ms === undefined ? [] : [late_ms]));
  return {
    all_ms: performance.now() - began,
    first_ms: calls.map(({ first_ms }) => first_ms),
    late_ms: late.length === 0 ? undefined : Math.max(...late),
  };
}

interface Call {
  /** After how long its first token came. */
  readonly first_ms: number;
  readonly late_ms: number | undefined;
}

/** Reads one stream to its end. */
async function call({ url, headers, graph = 'waiting' }: StreamingServer, agent: Agent): Promise<Call> {
  const body = JSON.stringify({
    assistant_id: graph,
    stream_mode: 'messages-tuple',
    input: { messages: [{ role: 'user', content: 'hello' }] },
  });
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/runs/stream`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let first_ms: number | undefined;
      let end = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        if (first_ms === undefined && text.includes('word0')) first_ms = performance.now() - began;
        end = (end + text).slice(-4000);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const late = /late=([\d.]+)/.exec(end)?.[1];
        if (first_ms === undefined || !end.includes('word39'))
          reject(new Error(`${answer.statusCode}: ${end.slice(-500)}`));
        else resolve({ first_ms, late_ms: late === undefined ? undefined : Number(late) });
      });
    });
    sent.end(body);
  });
}
