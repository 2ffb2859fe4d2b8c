import { context, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { AgentRun, AgentTrace } from './agent-traces.ts';

const kinds = { chain: 'CHAIN', llm: 'LLM', tool: 'TOOL', prompt: 'CHAIN' } as const;

/** A trace of an agent as spans, with the attributes of OpenInference. */
export function recordSpans(tracer: Tracer, { runs }: AgentTrace): void {
  const contexts = new Map<AgentRun | undefined, ReturnType<typeof context.active>>();
  for (const run of runs) {
    const above = contexts.get(run.parent) ?? context.active();
    const span = tracer.startSpan(
      run.name,
      {
        startTime: run.start_ms,
        root: run.parent === undefined,
        attributes: {
          'openinference.span.kind': kinds[run.run_type],
          'input.value': JSON.stringify(run.inputs),
          'input.mime_type': 'application/json',
          'output.value': JSON.stringify(run.outputs),
          'output.mime_type': 'application/json',
          metadata: JSON.stringify(run.metadata),
          'tag.tags': [...run.tags],
          'session.id': String(run.metadata['thread_id']),
          ...(run.usage !== undefined && {
            'llm.token_count.prompt': run.usage.input,
            'llm.token_count.completion': run.usage.output,
          }),
        },
      },
      above,
    );
    if (run.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: run.error });
    contexts.set(run, trace.setSpan(above, span));
    span.end(run.end_ms);
  }
}
