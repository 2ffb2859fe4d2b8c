import { Problem, uuidv7 } from '@roadstead/kit';
import { callerOf } from '../../access/access.ts';
import type { Caller, Permission } from '../../access/caller.ts';
import type { Run, ThreadSeed } from '../../runs/run.ts';
import type { RunCall, RunFace } from './run-face.ts';
import { findThreadSettings, type ThreadSettings } from './run-store.ts';
import { type AssistantSettings, newRunOf, type RunRequest, type Wanted } from './run-request-rules.ts';

export interface RunStart {
  readonly request: RunRequest;
  /** Undefined: the run gets a thread of its own. */
  readonly thread_id?: string;
  readonly wanted: Wanted;
}

/** Creates the run that a client asks for. What it answers is committed. */
export async function startRun(face: RunFace, call: RunCall, start: RunStart): Promise<Run> {
  const { request, wanted } = start;
  const assistant = await face.assistants.find(request.assistant_id);
  if (assistant === undefined)
    throw new Problem('not_found', 'There is no such assistant here.', {
      hint: 'Send the id of an assistant or of a graph.',
    });
  const run_id = uuidv7();
  const caller = callerOf(call.principal);
  const permitted = await permit(face, caller, { ...start, assistant, run_id });
  const metadata = metadataOf(permitted) ?? request.metadata ?? {};
  const { thread, known } = await threadOf(face, start, { assistant, permitted, metadata });
  const setting = {
    run_id,
    thread,
    thread_config: known?.config ?? {},
    thread_metadata: known?.metadata ?? {},
    assistant,
    caller,
    headers: face.configurableHeaders(call.request.headers),
    traceparent: call.request.headers.get('traceparent') ?? undefined,
  };
  return face.runs.create(newRunOf({ ...request, metadata }, { setting, wanted }));
}

interface Asked extends RunStart {
  readonly assistant: AssistantSettings;
  readonly run_id: string;
}

/** The deployment's own `auth` may refuse, or stamp the metadata. */
function permit(
  { access }: RunFace,
  caller: Caller,
  { request, assistant, thread_id, run_id }: Asked,
): Promise<Permission> {
  const { metadata, multitask_strategy, if_not_exists, after_seconds, assistant_id: _, ...kwargs } = request;
  return access.authorize(caller, {
    resource: 'threads',
    action: 'create_run',
    value: {
      thread_id: thread_id ?? null,
      assistant_id: assistant.assistant_id,
      run_id,
      status: 'pending',
      metadata: metadata ?? {},
      prevent_insert_if_inflight: multitask_strategy === 'reject',
      multitask_strategy: multitask_strategy ?? 'enqueue',
      if_not_exists: if_not_exists ?? 'reject',
      after_seconds: after_seconds ?? 0,
      kwargs,
    },
  });
}

interface Permitted {
  readonly assistant: AssistantSettings;
  readonly permitted: Permission;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The thread of a run that is allowed; a thread of somebody else is as good as none, but is never made anew. */
async function threadOf(
  face: RunFace,
  { request, thread_id }: RunStart,
  { assistant: { assistant_id, graph_id }, permitted, metadata }: Permitted,
): Promise<{ readonly thread: ThreadSeed; readonly known?: ThreadSettings }> {
  const made = { metadata: { ...metadata, graph_id, assistant_id } };
  if (thread_id === undefined) {
    const temporary = (request.on_completion ?? 'delete') === 'delete';
    return { thread: { thread_id: uuidv7(), create: { ...made, temporary } } };
  }
  const known = await findThreadSettings(face.db, { thread_id, filters: permitted.filters });
  if (known !== undefined) return { thread: { thread_id }, known };
  const mayMake = request.if_not_exists === 'create';
  if (!mayMake || (await findThreadSettings(face.db, { thread_id, filters: null })) !== undefined)
    throw noThread();
  return { thread: { thread_id, create: made } };
}

export const noThread = () => new Problem('not_found', 'There is no such thread here.');

function metadataOf({ value }: Permission): Readonly<Record<string, unknown>> | undefined {
  const metadata = value['metadata'];
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
    ? (metadata as Readonly<Record<string, unknown>>)
    : undefined;
}
