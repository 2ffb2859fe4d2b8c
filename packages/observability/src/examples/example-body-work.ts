import { type BodyCall, readDecoded } from '../decoding/body-decoder.ts';
import type { ExampleContext } from './example-context.ts';

/** Reads the body of a request that sends examples, and holds its memory until the work is done. */
export async function withBody<T>(
  {
    context,
    call,
  }: {
    readonly context: Pick<ExampleContext, 'room'>;
    readonly call: BodyCall;
  },
  work: (body: Buffer) => Promise<T>,
): Promise<T> {
  const { request, workspace_id } = call;
  using body = await readDecoded(request, context.room.enter(workspace_id, request.signal));
  return work(body.bytes);
}
