import type { ThreadCommand } from '@roadstead/contracts/agent-server';
import type { StreamMode } from '@roadstead/contracts/host';
import type { Run } from '../../runs/run.ts';
import { storedEvents } from '../../runs/run-events-store.ts';
import type { SeenThread } from '../../threads/thread-states.ts';
import { requireRun } from '../runs/run-access.ts';
import type { RunCall } from '../runs/run-face.ts';
import type { RunRequest } from '../runs/run-request-rules.ts';
import { startRun } from '../runs/run-start.ts';
import { findNewestRun } from '../runs/run-store.ts';
import { permitThread, seenThread } from '../threads/seen-thread.ts';
import {
  GetTreeParams,
  InputInjectParams,
  InputRespondParams,
  ListCheckpointsParams,
  parsed,
  refused,
  RunStartParams,
  StateForkParams,
  StateGetParams,
} from './command-params.ts';
import { createEventFold } from './event-fold.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import type { Fields } from './protocol-event.ts';

/** The commands of the event-streaming protocol. */

export interface Commanded {
  readonly face: EventStreamFace;
  readonly call: RunCall;
  readonly thread_id: string;
  readonly params: ThreadCommand['params'];
}

export const commands: Readonly<Record<string, (commanded: Commanded) => Promise<Fields>>> = {
  'run.start': async (commanded) => {
    const { multitaskStrategy, ...params } = parsed(RunStartParams, commanded.params);
    const { input, config } = params;
    const forks = typeof config?.configurable?.['checkpoint_id'] === 'string';
    const resumes = input !== undefined && input !== null && !forks && (await asksSomething(commanded));
    const { run_id } = await start(commanded, {
      ...params,
      ...(resumes ? { input: null, command: { resume: input } } : {}),
      multitask_strategy: multitaskStrategy ?? 'enqueue',
      if_not_exists: 'create',
    });
    return { run_id };
  },
  'input.respond': async (commanded) => {
    const { responses, update, goto, ...settings } = parsed(InputRespondParams, commanded.params);
    const open = new Set(questionsOf(await seen(commanded, 'read')));
    const { assistant_id } = await lastRun(commanded);
    for (const { interrupt_id } of responses)
      if (!open.has(interrupt_id))
        throw refused(
          'no_such_interrupt',
          `The thread has no open question ${JSON.stringify(interrupt_id)}.`,
        );
    const resume = Object.fromEntries(responses.map((one) => [one.interrupt_id, one.response ?? null]));
    const { run_id } = await start(commanded, {
      ...settings,
      assistant_id,
      command: { resume, update, goto },
    });
    return { run_id };
  },
  'input.inject': async (commanded) => {
    const { namespace, message } = parsed(InputInjectParams, commanded.params);
    if (namespace && namespace.length > 0)
      throw refused('not_supported', 'A message can be given to the graph itself, not to a part of it.');
    if (questionsOf(await seen(commanded, 'read')).length > 0)
      throw refused('invalid_argument', 'The graph has asked something: answer it by `input.respond`.');
    const { assistant_id } = await lastRun(commanded);
    const { run_id } = await start(commanded, { assistant_id, input: { messages: [message] } });
    return { run_id };
  },
  'agent.getTree': async (commanded) => {
    const { face, call, thread_id } = commanded;
    const { run_id } = parsed(GetTreeParams, commanded.params);
    await seen(commanded, 'read');
    const run = run_id
      ? await requireRun(face, call, { thread_id, run_id, action: 'read' })
      : await lastRun(commanded);
    return { tree: await treeOf(commanded, run) };
  },
  'state.get': async (commanded) => {
    const { namespace, keys } = parsed(StateGetParams, commanded.params);
    const checkpoint_ns = (namespace ?? []).join('|');
    const state = await commanded.face.states.read(
      await seen(commanded, 'read'),
      checkpoint_ns === '' ? {} : { checkpoint: { checkpoint_ns } },
    );
    if (checkpoint_ns !== '' && state.checkpoint === null)
      throw refused('no_such_namespace', 'The thread has no state in this namespace.');
    const { values, checkpoint } = state;
    const shown =
      keys && typeof values === 'object' && values !== null
        ? Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
        : values;
    return {
      values: shown,
      ...(checkpoint?.checkpoint_id
        ? { checkpoint: { id: checkpoint.checkpoint_id, ns: checkpoint.checkpoint_ns ?? '' } }
        : {}),
    };
  },
  'state.listCheckpoints': async (commanded) => {
    const { namespace, limit, before } = parsed(ListCheckpointsParams, commanded.params);
    const checkpoint_ns = (namespace ?? []).join('|');
    const states = await commanded.face.states.list(await seen(commanded, 'read'), {
      limit: limit ?? 10,
      ...(before ? { before: { checkpoint_id: before } } : {}),
      ...(checkpoint_ns === '' ? {} : { checkpoint: { checkpoint_ns } }),
    });
    return {
      checkpoints: states.map(({ checkpoint, created_at, metadata }) => ({
        id: checkpoint?.checkpoint_id,
        timestamp: created_at,
        step: (metadata as Fields | null)?.['step'],
        metadata,
      })),
    };
  },
  'state.fork': async (commanded) => {
    const { checkpoint_id, input, config } = parsed(StateForkParams, commanded.params);
    const { thread_id, face } = commanded;
    const at = { checkpoint_id, checkpoint_ns: '' };
    const state = await face.states.read(await seen(commanded, 'read'), { checkpoint: at });
    if (state.created_at === null)
      throw refused('no_such_checkpoint', `The thread has no checkpoint ${JSON.stringify(checkpoint_id)}.`);
    const { assistant_id } = await lastRun(commanded);
    const { run_id } = await start(commanded, { assistant_id, input, config, checkpoint: at });
    return { run_id, thread_id };
  },
};

/** What is recorded of runs that are begun here: all that the protocol has channels for. */
const MODES: readonly StreamMode[] = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
  'checkpoint-marks',
];

function start({ face, call, thread_id }: Commanded, request: RunRequest): Promise<Run> {
  return startRun(face, call, {
    request: { stream_subgraphs: true, stream_resumable: true, ...request },
    thread_id,
    wanted: { modes: MODES },
  });
}

async function seen({ face, call, thread_id }: Commanded, action: 'read' | 'update'): Promise<SeenThread> {
  const { row, permitted } = await seenThread(face, { principal: call.principal, thread_id, action });
  return { row, user: permitted.caller.user };
}

/** Whether the thread waits for an answer; one that isn't there yet does not. */
async function asksSomething({ face, call: { principal }, thread_id }: Commanded): Promise<boolean> {
  const { within } = await permitThread(face.access, { principal, thread_id, action: 'read' });
  const row = await face.threads.find(thread_id, within);
  return row?.status === 'interrupted' && questionsOf({ row }).length > 0;
}

function questionsOf({ row }: Pick<SeenThread, 'row'>): string[] {
  const asked = JSON.parse(row.interrupts) as Readonly<Record<string, readonly { readonly id?: string }[]>>;
  return Object.values(asked)
    .flat()
    .flatMap(({ id }) => id ?? []);
}

async function lastRun({ face, thread_id }: Commanded): Promise<Run> {
  const run_id = await findNewestRun(face.db, thread_id);
  const run = run_id === undefined ? undefined : await face.runs.find(run_id);
  if (run === undefined)
    throw refused('no_such_run', 'Nothing has run on this thread yet: begin with `run.start`.');
  return run;
}

/** What a run has told by now. */
async function treeOf({ face }: Commanded, { run_id, graph_id }: Run) {
  const fold = createEventFold(graph_id);
  for await (const event of storedEvents(face.db, { run_id, after_seq: 0 })) fold.of(event);
  return fold.tree();
}
