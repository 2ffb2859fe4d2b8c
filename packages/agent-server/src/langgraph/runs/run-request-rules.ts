import {
  type RunConfig,
  RunCheckpoint,
  type RunCreate,
  type ThreadRunCreate,
} from '@roadstead/contracts/agent-server';
import type { StreamMode } from '@roadstead/contracts/host';
import { allows } from '@roadstead/contracts';
import { malformed } from '@roadstead/kit';
import type { Caller } from '../../access/caller.ts';
import type { NewRun, RunKwargs, ThreadSeed } from '../../runs/run.ts';
import { allowedConfigurable, mergeSettings, setsBoth } from '../../runs/run-config-rules.ts';

/** Translates the LangGraph API's request for a run into the engine's terms. */

/** A request for a run, on a thread or without one. */
export type RunRequest = ThreadRunCreate & RunCreate;

/** The surroundings of a run: its caller, thread and assistant. */
export interface RunSetting {
  readonly run_id: string;
  readonly thread: ThreadSeed;
  readonly thread_metadata: Readonly<Record<string, unknown>>;
  readonly assistant: AssistantSettings;
  readonly caller: Caller;
  /** Headers of the request that the deployment lets its graphs read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly traceparent: string | undefined;
}

/** The settings of an assistant with which its runs begin. */
export interface AssistantSettings {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly config: RunConfig;
  readonly context: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * How the events of a run reach the client: streamed, in the modes of the request or in others, or only its end is
 * awaited.
 */
export type EventDelivery = 'events' | 'end' | { readonly modes: readonly StreamMode[] };

/** @throws Problem `malformed` for fields that exclude each other */
export function newRunOf(
  request: RunRequest,
  { setting, wanted }: { readonly setting: RunSetting; readonly wanted: EventDelivery },
): NewRun {
  requireFit(request);
  const { assistant, caller } = setting;
  const settings = mergeSettings(assistant, request);
  const after_s = request.after_seconds ?? 0;
  return {
    run_id: setting.run_id,
    thread: setting.thread,
    assistant_id: assistant.assistant_id,
    graph_id: assistant.graph_id,
    principal: caller.principal,
    ...(caller.user === null ? {} : { user: caller.user }),
    kwargs: kwargsOf(request, { setting, settings, modes: wantedModes(request, wanted) }),
    metadata: {
      ...assistant.metadata,
      ...setting.thread_metadata,
      ...settings.config.metadata,
      ...request.metadata,
    },
    multitask_strategy: request.multitask_strategy ?? 'enqueue',
    ...(after_s > 0 ? { after_ms: Math.ceil(after_s * 1000) } : {}),
    chunks: false,
    plain: false,
    values: true,
    ...(setting.traceparent === undefined ? {} : { traceparent: setting.traceparent }),
  };
}

function requireFit({ config, context }: RunRequest): void {
  if (setsBoth(config?.configurable, context))
    throw malformed(['body', 'context'], 'config.configurable and context exclude each other: send one');
}

/** The command of a request; undefined where there is none: then the input counts. */
function commandOf({ command }: RunRequest): RunKwargs['command'] {
  const parts = Object.entries(command ?? {}).filter(([, part]) => isGiven(part));
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function wantedModes(request: RunRequest, wanted: EventDelivery): readonly StreamMode[] {
  if (wanted === 'end') return [];
  return wanted === 'events' ? modesOf(request) : wanted.modes;
}

function modesOf({ stream_mode }: RunRequest): readonly StreamMode[] {
  const modes = [stream_mode ?? []].flat();
  return modes.length === 0 ? ['values'] : [...new Set(modes)];
}

interface MergedRequest {
  readonly setting: RunSetting;
  readonly settings: ReturnType<typeof mergeSettings>;
  readonly modes: readonly StreamMode[];
}

function kwargsOf(request: RunRequest, { setting, settings, modes }: MergedRequest): RunKwargs {
  const { headers, thread } = setting;
  const { context, configured } = settings;
  const { tags, recursion_limit, configurable } = settings.config;
  const command = commandOf(request);
  const checkpoint = checkpointOf(request);
  const durability = durabilityOf(request);
  const tracer = tracerOf(request, setting.caller);
  const feedback_keys = [request.feedback_keys ?? []].flat();
  return {
    ...(command === undefined ? { input: request.input ?? null } : { command }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    config: {
      ...(tags === undefined ? {} : { tags }),
      ...(recursion_limit === undefined ? {} : { recursion_limit }),
      configurable: allowedConfigurable({ ...configurable, ...headers }),
    },
    ...(context === undefined ? {} : { context }),
    ...(configured.length === 0 ? {} : { configured }),
    ...given('interrupt_before', request.interrupt_before),
    ...given('interrupt_after', request.interrupt_after),
    stream_mode: modes,
    stream_subgraphs: request.stream_subgraphs ?? false,
    stream_resumable: request.stream_resumable ?? false,
    ...(durability === undefined ? {} : { durability }),
    ...given('webhook', request.webhook),
    ...(feedback_keys.length === 0 ? {} : { feedback_keys }),
    ...(thread.create?.temporary === true ? { temporary: true } : {}),
    ...(tracer === undefined ? {} : { langsmith_tracer: tracer }),
  };
}

/** A caller who may not write traces cannot name a project: the deployment's key would write there for them. */
function tracerOf({ langsmith_tracer }: RunRequest, { scopes }: Caller): RunKwargs['langsmith_tracer'] {
  const { project_name, example_id } = langsmith_tracer ?? {};
  if (!project_name || !allows(scopes, ['traces:write'])) return undefined;
  return { project_name, ...given('example_id', example_id) };
}

function checkpointOf({ checkpoint, checkpoint_id, config }: RunRequest): RunKwargs['checkpoint'] {
  const asked = {
    checkpoint_id,
    ...RunCheckpoint.catch({}).parse(config?.configurable ?? {}),
    ...checkpoint,
  };
  const { checkpoint_id: id, checkpoint_ns, checkpoint_map } = asked;
  if (!isGiven(id) && !isGiven(checkpoint_map)) return undefined;
  return {
    ...given('checkpoint_id', id),
    ...given('checkpoint_ns', checkpoint_ns),
    ...given('checkpoint_map', checkpoint_map),
  };
}

function durabilityOf({ durability, checkpoint_during }: RunRequest): RunKwargs['durability'] {
  if (isGiven(durability)) return durability;
  if (!isGiven(checkpoint_during)) return undefined;
  return checkpoint_during ? 'async' : 'exit';
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

function given<K extends string, V>(name: K, value: V): { readonly [N in K]?: NonNullable<V> } {
  return (isGiven(value) ? { [name]: value } : {}) as { readonly [N in K]?: NonNullable<V> };
}
