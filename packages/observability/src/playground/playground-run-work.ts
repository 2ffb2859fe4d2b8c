import { problemOf, type Place } from '@roadstead/kit';
import type { EventFrame } from '@roadstead/http';
import type { ModelEvent } from '../models/model-call.ts';
import { wholeUsage } from '../models/model-answer-parts.ts';
import { answerMessage } from './traced-call-rules.ts';
import { CallUnderWay, type CallToTrace } from './traced-call-work.ts';
import type { PlaygroundContext } from './playground-context.ts';

/** A call as the events of its answer. When the reader goes, the call ends, and its run says so. */

const LEFT = 'Cancelled: the client went away.';

interface RunStream {
  readonly signal: AbortSignal;
  /** Given back when the call has ended. */
  readonly place: Place;
}

export async function* runFrames(
  context: PlaygroundContext,
  asked: CallToTrace,
  { signal, place }: RunStream,
): AsyncGenerator<EventFrame> {
  using _place = place;
  const call = new CallUnderWay(context, asked);
  let isOver = false;
  try {
    yield frame('start', { run_id: asked.run_id, model: asked.call.model });
    for await (const event of call.events(signal)) yield eventFrameOf(event);
    isOver = true;
  } finally {
    if (!isOver)
      await call.trace(LEFT).catch((error: unknown) => context.log.warn('a run was not traced', { error }));
  }
  yield await endFrame(call, asked);
}

function eventFrameOf(event: ModelEvent): EventFrame {
  const { type, ...said } = event;
  if (event.type === 'usage') return frame(type, wholeUsage(event.usage));
  return frame(type, said);
}

async function endFrame(call: CallUnderWay, { run_id, place }: CallToTrace): Promise<EventFrame> {
  const answer = call.answer();
  const said = {
    run_id,
    session_name: place['session_name'],
    message: answerMessage(answer),
    usage: answer.usage ?? null,
    finish_reason: answer.finish_reason,
  };
  try {
    return frame('end', { ...said, ...(await call.trace()), not_traced: null });
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return frame('end', { ...said, not_traced: problem.sentence });
  }
}

const frame = (type: string, data: object): EventFrame =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
