import { Agent, request } from 'node:http';

/** A load of one kind, measured: latency by percentile, throughput, and CPU where processes were watched. */
export interface Measurement {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly per_s: number;
}

export interface Load {
  readonly count: number;
  readonly concurrency: number;
  /** Calls before the clock starts. */
  readonly warm: number;
}

/** Sends `count` calls, `concurrency` at a time. */
export async function measure(
  { count, concurrency, warm }: Load,
  call: () => Promise<unknown>,
): Promise<Measurement> {
  await spread(warm, concurrency, call);
  const times: number[] = [];
  const began = performance.now();
  await spread(count, concurrency, async () => {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  });
  const took_ms = performance.now() - began;
  return { p50_ms: percentile(times, 0.5), p99_ms: percentile(times, 0.99), per_s: (count / took_ms) * 1000 };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function spread(count: number, concurrency: number, call: () => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await call();
    }),
  );
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** POSTs JSON over a kept connection; the client's share of the machine stays small by that. */
export const post = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  onData?: (text: string) => void,
): Promise<Answer> =>
  send(url, {
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    method: 'POST',
    body,
    onData,
  });

/** The same for a GET. */
export const get = async (url: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  send(url, { headers, method: 'GET' });

interface RequestOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly onData?: ((text: string) => void) | undefined;
}

function send(url: string, { method, headers, body, onData }: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (bytes: Buffer) => {
        pieces.push(bytes);
        onData?.(bytes.toString('utf8'));
      });
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
    });
    sent.end(body);
  });
}

/** A message of A2A 1.0; throws unless it is answered. */
export function sendMessage(url: string, headers: Readonly<Record<string, string>>): () => Promise<void> {
  return async () => {
    const answer = await post(url, { 'a2a-version': '1.0', ...headers }, messageBody('SendMessage'));
    const { result } = JSON.parse(answer.text) as { result?: { task?: { status?: { state?: string } } } };
    if (result?.task?.status?.state !== 'TASK_STATE_COMPLETED') throw new Error(answer.text.slice(0, 500));
  };
}

export function messageBody(method: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } },
  });
}
