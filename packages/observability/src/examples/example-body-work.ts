import { readDecoded } from '../ingest/body-decoder.ts';
import type { ExampleContext } from './example-context.ts';

/** Reads the body of a request that brings examples, and holds its room until the work is done. */
export async function withBody<T>(
  {
    context,
    call,
  }: {
    readonly context: Pick<ExampleContext, 'gate' | 'budget'>;
    readonly call: { readonly request: Request; readonly workspace_id: string };
  },
  work: (body: Buffer) => Promise<T>,
): Promise<T> {
  using body = await readDecoded(call.request, {
    gate: context.gate,
    held: context.budget.open(call.workspace_id),
  });
  return work(body.bytes);
}
