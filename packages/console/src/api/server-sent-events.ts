import { ApiError } from '@roadstead/contracts/client';
import { authorizedFetch } from './clients.ts';

/** An event of a stream (HTML, section 9.2). */
export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

interface StreamOptions {
  readonly signal: AbortSignal;
  readonly method?: 'GET' | 'POST';
  /** A JSON body. */
  readonly body?: unknown;
  /** The last event that was seen, from which the stream goes on. */
  readonly last_event_id?: string | undefined;
  /** Hears that the stream is there, which may be silent. */
  readonly onOpen?: (answer: Response) => void;
}

/** Reads the events of a stream until it ends. `EventSource` can send no token. */
export async function* eventsOf(path: string, options: StreamOptions): AsyncGenerator<ServerSentEvent> {
  const { signal, method = 'GET', body, last_event_id, onOpen } = options;
  const headers = new Headers({ accept: 'text/event-stream' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (last_event_id !== undefined) headers.set('last-event-id', last_event_id);
  const answer = await authorizedFetch(
    new Request(new URL(path, location.origin), {
      method,
      headers,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  if (!answer.ok || answer.body === null)
    throw new ApiError(await sentenceOf(answer), { status: answer.status });
  onOpen?.(answer);
  yield* parsedEvents(answer.body);
}

async function sentenceOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { detail, error, message } = JSON.parse(text) as Record<string, unknown>;
    const sentence = [detail, error, message].find((one) => typeof one === 'string');
    return sentence ?? `The server answered ${answer.status}.`;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}

/** Splits bytes into events, however they are cut. */
async function* parsedEvents(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = '';
  let [id, event, data] = ['', '', [] as string[]];
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
          [event, data] = ['', []];
          continue;
        }
        const [, name = '', text = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
        if (name === 'id') id = text;
        if (name === 'event') event = text;
        if (name === 'data') data.push(text);
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
