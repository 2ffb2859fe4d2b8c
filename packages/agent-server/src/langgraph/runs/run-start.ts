import { Problem, uuidv7 } from '@roadstead/kit';
import { callerOf } from '../../access/access.ts';
import { findSeenAssistant } from '../../access/assistant-access.ts';
import type { Attempt, MetadataFilters } from '../../access/caller.ts';
import { canonicalText } from '../../json/json-text.ts';
import type { NewRun, Run, ThreadSeed } from '../../runs/run.ts';
import { configurableHeaders } from '../../app/header-rules.ts';
import { metadataOf, permit, requireHold } from '../permission.ts';
import type { RunCall, RunFace } from './run-face.ts';
import { findThreadSettings, stampThread, type ThreadSettings } from './run-store.ts';
import {
  type AssistantSettings,
  newRunOf,
  type RunRequest,
  type EventDelivery,
} from './run-request-rules.ts';

export interface RunStart {
  readonly request: RunRequest;
  /** Undefined: the run gets a thread of its own. */
  readonly thread_id?: string;
  readonly wanted: EventDelivery;
}

/** Creates the run that a client asks for, and answers once it is committed. */
export async function startRun(face: RunFace, call: RunCall, start: RunStart): Promise<Run> {
  return face.runs.create(await allowedRun(face, call, start));
}

/** The run that a client asks for, if it is permitted. */
export async function allowedRun(face: RunFace, call: RunCall, start: RunStart): Promise<NewRun> {
  const { request, wanted } = start;
  const caller = callerOf(call.principal);
  const assistant = await findSeenAssistant(face, { caller, name: request.assistant_id });
  if (assistant === undefined)
    throw new Problem('not_found', 'There is no such assistant here.', {
      hint: 'Send the id of an assistant or of a graph.',
    });
  if (request.webhook) face.checkWebhook(request.webhook);
  const run_id = uuidv7();
  const attempt = attemptOf({ ...start, assistant, run_id });
  const permitted = await permit(face.access, { principal: call.principal, ...attempt });
  const metadata = metadataOf(permitted);
  const { thread, known } = await threadOf(face, start, { assistant, filters: permitted.filters, metadata });
  const setting = {
    run_id,
    thread,
    thread_metadata: known?.metadata ?? {},
    assistant,
    caller: permitted.caller,
    headers: configurableHeaders(call.request.headers, face.http() ?? { configurable_headers: null }),
    traceparent: call.request.headers.get('traceparent') ?? undefined,
  };
  const run = newRunOf({ ...request, metadata }, { setting, wanted });
  if (known !== undefined) await stamp(face, known, run);
  return run;
}

/** Stamps a thread with the assistant of its last run. What a run configures is for that run. */
async function stamp({ db }: RunFace, known: ThreadSettings, run: NewRun): Promise<void> {
  const { assistant_id, graph_id, thread } = run;
  const metadata = { graph_id, assistant_id };
  if (!holds(known.metadata, metadata)) await stampThread(db, { thread_id: thread.thread_id, metadata });
}

const holds = (known: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>) =>
  Object.entries(wanted).every(([name, value]) => canonicalText(known[name]) === canonicalText(value));

interface ResolvedStart extends RunStart {
  readonly assistant: AssistantSettings;
  readonly run_id: string;
}

/** The attempt for which `auth` is asked; it may refuse, or stamp the metadata. */
function attemptOf({ request, assistant, thread_id, run_id }: ResolvedStart): Attempt {
  const { metadata, multitask_strategy, if_not_exists, after_seconds, assistant_id: _, ...kwargs } = request;
  return {
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
  };
}

interface RunPermission {
  readonly assistant: AssistantSettings;
  readonly filters: MetadataFilters | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The thread of a permitted run; somebody else's thread is reported as missing, but is never made again. */
async function threadOf(
  face: RunFace,
  { request, thread_id }: RunStart,
  { assistant: { assistant_id, graph_id }, filters, metadata }: RunPermission,
): Promise<{ readonly thread: ThreadSeed; readonly known?: ThreadSettings }> {
  const made = { metadata: { ...metadata, graph_id, assistant_id } };
  if (thread_id === undefined) {
    const temporary = (request.on_completion ?? 'delete') === 'delete';
    // Nobody looks for a thread that goes with its run.
    if (!temporary) requireHold(made.metadata, { filters });
    return { thread: { thread_id: uuidv7(), create: { ...made, temporary } } };
  }
  const known = await findThreadSettings(face.db, { thread_id, filters });
  if (known !== undefined) {
    // The thread is marked by its last run.
    requireHold({ ...known.metadata, graph_id, assistant_id }, { filters });
    return { thread: { thread_id }, known };
  }
  const mayMake = request.if_not_exists === 'create';
  if (!mayMake || (await findThreadSettings(face.db, { thread_id, filters: null })) !== undefined)
    throw noThread();
  requireHold(made.metadata, { filters });
  return { thread: { thread_id, create: made } };
}

export const noThread = () => new Problem('not_found', 'There is no such thread here.');
