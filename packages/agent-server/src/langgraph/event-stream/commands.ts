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

export interface CommandCall {
  readonly face: EventStreamFace;
  readonly call: RunCall;
  readonly thread_id: string;
  readonly params: ThreadCommand['params'];
}

export const commands: Readonly<Record<string, (command: CommandCall) => Promise<Fields>>> = {
  'run.start': async (command) => {
    const { multitaskStrategy, ...params } = parsed(RunStartParams, command.params);
    const { input, config } = params;
    const forks = typeof config?.configurable?.['checkpoint_id'] === 'string';
    const resumes = input !== undefined && input !== null && !forks && (await asksSomething(command));
    const { run_id } = await start(command, {
      ...params,
      ...(resumes ? { input: null, command: { resume: input } } : {}),
      multitask_strategy: multitaskStrategy ?? 'enqueue',
      if_not_exists: 'create',
    });
    return { run_id };
  },
  'input.respond': async (command) => {
    const { responses, update, goto, ...settings } = parsed(InputRespondParams, command.params);
    const open = new Set(questionsOf(await seen(command, 'read')));
    const { assistant_id } = await lastRun(command);
    for (const { interrupt_id } of responses)
      if (!open.has(interrupt_id))
        throw refused(
          'no_such_interrupt',
          `The thread has no open question ${JSON.stringify(interrupt_id)}.`,
        );
    const resume = Object.fromEntries(responses.map((one) => [one.interrupt_id, one.response ?? null]));
    const { run_id } = await start(command, {
      ...settings,
      assistant_id,
      command: { resume, update, goto },
    });
    return { run_id };
  },
  'input.inject': async (command) => {
    const { namespace, message } = parsed(InputInjectParams, command.params);
    if (namespace && namespace.length > 0)
      throw refused('not_supported', 'A message can be given to the graph itself, not to a part of it.');
    if (questionsOf(await seen(command, 'read')).length > 0)
      throw refused('invalid_argument', 'The graph has asked something: answer it by `input.respond`.');
    const { assistant_id } = await lastRun(command);
    const { run_id } = await start(command, { assistant_id, input: { messages: [message] } });
    return { run_id };
  },
  'agent.getTree': async (command) => {
    const { face, call, thread_id } = command;
    const { run_id } = parsed(GetTreeParams, command.params);
    await seen(command, 'read');
    const run = run_id
      ? await requireRun(face, call, { thread_id, run_id, action: 'read' })
      : await lastRun(command);
    return { tree: await treeOf(command, run) };
  },
  'state.get': async (command) => {
    const { namespace, keys } = parsed(StateGetParams, command.params);
    const checkpoint_ns = (namespace ?? []).join('|');
    const state = await command.face.states.read(
      await seen(command, 'read'),
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
  'state.listCheckpoints': async (command) => {
    const { namespace, limit, before } = parsed(ListCheckpointsParams, command.params);
    const checkpoint_ns = (namespace ?? []).join('|');
    const states = await command.face.states.list(await seen(command, 'read'), {
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
  'state.fork': async (command) => {
    const { checkpoint_id, input, config } = parsed(StateForkParams, command.params);
    const { thread_id, face } = command;
    const at = { checkpoint_id, checkpoint_ns: '' };
    const state = await face.states.read(await seen(command, 'read'), { checkpoint: at });
    if (state.created_at === null)
      throw refused('no_such_checkpoint', `The thread has no checkpoint ${JSON.stringify(checkpoint_id)}.`);
    const { assistant_id } = await lastRun(command);
    const { run_id } = await start(command, { assistant_id, input, config, checkpoint: at });
    return { run_id, thread_id };
  },
};

/** The modes in which runs begun here are recorded: all that the protocol has channels for. */
const MODES: readonly StreamMode[] = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
  'checkpoint-marks',
];

function start({ face, call, thread_id }: CommandCall, request: RunRequest): Promise<Run> {
  return startRun(face, call, {
    request: { stream_subgraphs: true, stream_resumable: true, ...request },
    thread_id,
    wanted: { modes: MODES },
  });
}

async function seen({ face, call, thread_id }: CommandCall, action: 'read' | 'update'): Promise<SeenThread> {
  const { row, permitted } = await seenThread(face, { principal: call.principal, thread_id, action });
  return { row, user: permitted.caller.user };
}

/** Whether the thread waits for an answer; a thread that does not exist yet does not. */
async function asksSomething({ face, call: { principal }, thread_id }: CommandCall): Promise<boolean> {
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

async function lastRun({ face, thread_id }: CommandCall): Promise<Run> {
  const run_id = await findNewestRun(face.db, thread_id);
  const run = run_id === undefined ? undefined : await face.runs.find(run_id);
  if (run === undefined)
    throw refused('no_such_run', 'Nothing has run on this thread yet: begin with `run.start`.');
  return run;
}

/** The tree of a run's namespaces, from the events so far. */
async function treeOf({ face }: CommandCall, { run_id, graph_id }: Run) {
  const fold = createEventFold(graph_id);
  for await (const event of storedEvents(face.db, { run_id, after_seq: 0 })) fold.of(event);
  return fold.tree();
}
