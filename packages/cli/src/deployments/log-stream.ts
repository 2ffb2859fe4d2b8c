import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import { patiently } from '../target/patience.ts';
import type { Target } from '../target/target.ts';

const Line = z.object({ id: z.string(), timestamp: z.string(), level: z.string(), message: z.string() });
export type LogLine = z.output<typeof Line>;

interface FollowedLog {
  readonly deployment_id: string;
  readonly revision_id: string | undefined;
  /** Filters, as parameters of the API. */
  readonly query: Readonly<Record<string, string>>;
  /** The last line that was shown. */
  readonly after: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many of the last lines come first, where none was shown before. */
const LIMIT = '1000';
const AGAIN_MS = 500;

/** Yields the lines of a log as they come, once each; reconnects when a connection ends. */
export async function* followLog(target: Target, log: FollowedLog): AsyncGenerator<LogLine> {
  let { after } = log;
  for (;;) {
    const answer = await patiently(() => connect(target, { ...log, after }), { signal: log.signal });
    try {
      for await (const line of linesOf(answer)) {
        yield line;
        after = line.id;
      }
    } catch {
      // The connection broke; whether the platform is away shows at the next request.
    }
    log.signal?.throwIfAborted();
    await setTimeout(AGAIN_MS, undefined, log.signal ? { signal: log.signal } : {});
  }
}

async function connect(
  { url, api_key }: Target,
  { deployment_id, revision_id, query, after, signal }: FollowedLog,
): Promise<ReadableStream<Uint8Array>> {
  const of = revision_id === undefined ? '' : `/revisions/${revision_id}`;
  const address = new URL(`${url}/v2/deployments/${deployment_id}${of}/logs`);
  for (const [name, value] of Object.entries({ limit: LIMIT, ...query, follow: 'true' }))
    address.searchParams.set(name, value);
  const answer = await fetch(address, {
    headers: {
      'x-api-key': api_key,
      accept: 'text/event-stream',
      ...(after === undefined ? {} : { 'last-event-id': after }),
    },
    redirect: 'manual',
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new ApiError(`${url} cannot be reached.`, { status: 0, cause });
  });
  if (answer.ok && answer.body !== null) return answer.body;
  const body = (await answer.json().catch(() => null)) as { readonly detail?: unknown } | null;
  const detail = typeof body?.detail === 'string' ? body.detail : `${url} answered ${answer.status}.`;
  throw new ApiError(detail, { status: answer.status, body });
}

/** The data of server-sent events, one line each. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<LogLine> {
  let begun = '';
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const rows = (begun + text).split('\n');
    begun = rows.pop() ?? '';
    for (const row of rows) if (row.startsWith('data: ')) yield Line.parse(JSON.parse(row.slice(6)));
  }
}
