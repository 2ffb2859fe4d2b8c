import type { runStreamEndpoints } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { requireRun, requireThread } from './run-access.ts';
import type { RunFace } from './run-face.ts';
import { startRun } from './run-start.ts';
import { seqOf, streamRun } from './run-stream.ts';
import { streamThread } from './thread-stream.ts';

type StreamHandlers = Handlers<typeof runStreamEndpoints>;

/** The handlers that stream runs and threads as Server-Sent Events. */
export function createStreamHandlers(face: RunFace): StreamHandlers {
  return {
    streamThreadRun: async (call) => {
      const run = await startRun(face, call, { request: call.body, ...call.params, wanted: 'events' });
      return streamRun(face, {
        run,
        after_seq: 0,
        cancel_on_disconnect: call.body.on_disconnect === 'cancel',
      });
    },
    streamRun: async (call) => {
      const run = await startRun(face, call, { request: call.body, wanted: 'events' });
      return streamRun(face, {
        run,
        after_seq: 0,
        cancel_on_disconnect: call.body.on_disconnect === 'cancel',
      });
    },
    followThreadRun: async (call) => {
      const run = await requireRun(face, call, { ...call.params, action: 'read' });
      const { cancel_on_disconnect } = call.query;
      const modes = named(call.query.stream_mode);
      return streamRun(face, { run, after_seq: lastSeq(call.request), modes, cancel_on_disconnect });
    },
    followRun: async (call) => {
      const run = await requireRun(face, call, { ...call.params, action: 'read' });
      const { cancel_on_disconnect } = call.query;
      const modes = named(call.query.stream_mode);
      return streamRun(face, { run, after_seq: lastSeq(call.request), modes, cancel_on_disconnect });
    },
    followThread: async (call) => {
      await requireThread(face, call, { ...call.params, action: 'read' });
      const { stream_mode, stream_modes } = call.query;
      return streamThread(face, {
        ...call.params,
        modes: named(stream_mode) ?? named(stream_modes) ?? ['run_modes'],
        last_event_id: call.request.headers.get('last-event-id'),
      });
    },
  };
}

const lastSeq = ({ headers }: Request) => seqOf(headers.get('last-event-id'));

/** An empty list counts as absent: the Python SDK sends one. */
const named = <T>(modes: readonly T[] | undefined) => (modes?.length ? modes : undefined);
