import { HEARTBEAT_MS } from '@roadstead/http';
import { writeJson } from '../../json/json-text.ts';
import { shownInterrupt } from '../../runs/interrupt-rules.ts';
import type { EndedRun, Run } from '../../runs/run.ts';
import { runHeaders } from './run-addresses.ts';
import type { RunFace } from './run-face.ts';
import { cancelForgotten } from './run-stream.ts';
import { readValues } from './thread-values.ts';

/** The delay after which the answer begins, so that its headers name the run. */
const FIRST_MS = 250;

export interface RunWait {
  readonly run: Run;
  readonly signal: AbortSignal;
  readonly cancel_on_disconnect: boolean;
}

/**
 * Answers the final state of a run. If that takes a while, the answer begins before: line breaks keep it open until the
 * state comes. An answer that has to end before the run breaks off, so that its client comes back.
 */
export async function waitForRun(face: RunFace, wait: RunWait): Promise<Response> {
  const { run, signal, cancel_on_disconnect } = wait;
  const gone = new AbortController();
  const onGone = () => {
    gone.abort();
    if (cancel_on_disconnect) void cancelForgotten(face, run.run_id);
  };
  if (signal.aborted) onGone();
  else signal.addEventListener('abort', onGone, { once: true });
  const answer = face.runs
    .ended(run.run_id, gone.signal)
    .then((ended) => bodyOf(face, ended))
    .finally(() => signal.removeEventListener('abort', onGone));
  const headers = { 'content-type': 'application/json', ...runHeaders(run, 'join') };
  const first = await within(answer, FIRST_MS).catch(() => undefined);
  if (first !== undefined && first.length === 1) return new Response(first[0], { headers });
  return new Response(slowBody(answer, { heartbeat_ms: face.heartbeat_ms ?? HEARTBEAT_MS, onGone }), {
    headers,
  });
}

interface SlowBody {
  readonly heartbeat_ms: number;
  readonly onGone: () => void;
}

function slowBody(answer: Promise<readonly Uint8Array[]>, { heartbeat_ms, onGone }: SlowBody) {
  let begun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const pieces = await within(answer, begun ? heartbeat_ms : 0);
        begun = true;
        if (pieces === undefined) return controller.enqueue(LINE_BREAK);
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
      cancel: onGone,
    },
    { highWaterMark: 0 },
  );
}
const LINE_BREAK = Buffer.from('\n');

async function bodyOf(face: RunFace, ended: EndedRun): Promise<readonly Buffer[]> {
  const text = await writeJson(await finalState(face, ended));
  return typeof text === 'string' ? [Buffer.from(text)] : text;
}

/** The state with the graph's questions, or the reason why there is none. */
async function finalState(face: RunFace, ended: EndedRun): Promise<unknown> {
  const { status, error, interrupts, reason } = ended.end;
  if (status === 'interrupted')
    return { __error__: { error: 'UserInterrupt', message: reason ?? 'The run was cancelled.' } };
  if (status !== 'success')
    return {
      __error__: { error: error?.name ?? 'Error', message: error?.message ?? 'The run failed.' },
    };
  const values = ended.values ?? (await readValues(face, ended.run.thread_id));
  if (interrupts.length === 0) return values;
  const isState = typeof values === 'object' && values !== null && !Array.isArray(values);
  return { ...(isState ? values : {}), __interrupt__: interrupts.map(shownInterrupt) };
}

/** Undefined when it takes longer. */
async function within<T>(work: Promise<T>, patience_ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patience_ms, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
