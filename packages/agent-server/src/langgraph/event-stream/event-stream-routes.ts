import { EventFilter, type eventStreamEndpoints } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { jsonAnswer } from '../answers.ts';
import { requireThread } from '../runs/run-access.ts';
import { answerCommand } from './command-answers.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { streamThreadEvents } from './thread-events.ts';

/** The handlers of the event-streaming protocol. */
export function createEventStreamHandlers(face: EventStreamFace): Handlers<typeof eventStreamEndpoints> {
  return {
    commandThread: async (call) =>
      jsonAnswer(await answerCommand(face, { call, ...call.params, command: call.body })),
    streamThreadEvents: async (call) => {
      await requireThread(face, call, { ...call.params, action: 'read' });
      const since = call.body.since ?? lastSeqOf(call.request);
      return streamThreadEvents(face, { ...call.params, filter: { ...call.body, since } });
    },
    connectThreadEvents: () =>
      Promise.reject(
        new Problem('upgrade_required', 'This address is for WebSockets: commands go in, events come out.', {
          headers: { upgrade: 'websocket' },
          hint: 'Without one, send the filter with POST to this address, and commands to `/threads/{thread_id}/commands`.',
        }),
      ),
  };
}

/** The `Last-Event-ID` of a standard client of Server-Sent Events; null where the header is no number of ours. */
function lastSeqOf({ headers }: Request): number | null {
  const seq = Number(headers.get('last-event-id') || NaN);
  return EventFilter.shape.since.safeParse(seq).data ?? null;
}
