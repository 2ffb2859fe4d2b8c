import type { CompiledGraph, StreamedEvent } from '../values/langgraph-types.ts';
import type { StreamPart } from './stream-events.ts';

interface StreamOptions {
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether what subgraphs stream comes, too. */
  readonly subgraphs: boolean;
  /** Whether what happens inside of nodes comes, too, as parts of the mode `events`. Costs LangChain more than twice the time. */
  readonly inner: boolean;
  readonly run_id: string;
}

/** Runs a graph, and gives what it streams. */
export async function* streamGraph(
  compiled: CompiledGraph,
  input: unknown,
  { options, subgraphs, inner, run_id }: StreamOptions,
): AsyncGenerator<StreamPart> {
  const all = { ...options, subgraphs };
  if (inner) {
    const events = compiled.streamEvents(input, { ...all, version: 'v2' });
    for await (const event of events) {
      if (event.tags?.includes('langsmith:hidden') !== true) yield innerPart(event, { run_id, subgraphs });
    }
  } else {
    for await (const part of await compiled.stream(input, all)) yield partOf(part, subgraphs);
  }
}

/** The parts that the run itself streams are like others; the rest belongs to the mode `events`. */
function innerPart(
  event: StreamedEvent,
  { run_id, subgraphs }: Pick<StreamOptions, 'run_id' | 'subgraphs'>,
): StreamPart {
  return event.event === 'on_chain_stream' && event.run_id === run_id
    ? partOf(event.data.chunk, subgraphs)
    : { ns: [], mode: 'events', payload: event };
}

function partOf(part: unknown, subgraphs: boolean): StreamPart {
  if (!subgraphs) {
    const [mode, payload] = part as [string, unknown];
    return { ns: [], mode, payload };
  }
  const [ns, mode, payload] = part as [readonly string[] | null, string, unknown];
  return { ns: ns ?? [], mode, payload };
}
