import { are, isOnlyHere, type Reason } from './reason.ts';

const isNullThere = are(null, undefined);

/** Fields that one of both leaves out, or writes otherwise. */
export const fields: readonly Reason[] = [
  {
    path: /checkpoint\.checkpoint_(?:map|id|ns)$/,
    fits: ({ theirs, ours }) => theirs === undefined && (ours === null || ours === ''),
    there: 'a checkpoint of the main graph has no `checkpoint_map`, one that a path names no `checkpoint_ns`',
    here: 'null, and empty',
    why: 'The SDKs declare both.',
  },
  {
    path: /^event (?:checkpoints|debug)\S*\.(?:parent_)?checkpoint$|tasks\[\]\.(?:checkpoint|state)$/,
    there: 'streamed checkpoints have a `config`',
    here: 'also `checkpoint`, `parent_checkpoint` and those of subgraphs, as states have them',
    why: 'A client can go on from what it was sent.',
  },
  {
    path: /(?:^|\.)interrupts$/,
    fits: are(undefined, {}),
    there: 'a thread without a run has no `interrupts`',
    here: '`{}`',
    why: 'The SDKs declare the field.',
  },
  {
    path: /\bresponse_schema$/,
    fits: isNullThere,
    there: '`response_schema` of an interrupt is null where it has none',
    here: 'left out',
    why: 'Older versions of LangGraph do not know it.',
  },
  {
    path: /nodes\[\]\.data\.id$/,
    fits: isOnlyHere,
    there: 'nodes of a drawing have a name',
    here: 'also the class that they run',
    why: 'LangGraph draws them so, in both languages.',
  },
  {
    method: /^assistants\.get_(?:schemas|subgraphs)$/,
    path: /_schema\b|\.graph_id$/,
    there:
      'schemas of states are made of channels: titles with the name of the graph, null as default, `__end__`',
    here: 'those of the types that the graph is written with',
    why: 'Forms made of them say what the type says.',
  },
  {
    path: /\bmetadata$/,
    fits: are(null, {}),
    there: '`metadata` of an empty state is null',
    here: '`{}`',
    why: 'The SDKs declare an object.',
  },
  {
    method: /^crons\./,
    path: /\buser_id$/,
    fits: are('', null),
    there: '`user_id` is empty without auth',
    here: 'null',
    why: 'There is no user.',
  },
  {
    method: /^crons\./,
    path: /\bpayload\.(?:schedule|timezone|end_time|config|enabled|metadata\.owner)$/,
    there: '`payload` of a cron repeats its schedule, and what auth adds to its metadata',
    here: 'what the client wants the run to get; the rest beside it',
    why: 'Each is said once.',
  },
  {
    method: /^crons\./,
    path: /\bnext_run_date$/,
    fits: ({ ours }) => ours === null,
    there: 'a cron that is switched off keeps its `next_run_date`',
    here: 'null',
    why: 'It does not run.',
  },
  {
    path: /^value\.body\.services$/,
    there: '`/ok` lists services',
    here: '`{"ok": true}`',
    why: 'Nothing reads it.',
  },
  {
    path: /^event events\.data\..*\bid$/,
    fits: ({ theirs, ours }) => typeof theirs === 'string' && ours === null,
    there: 'messages in `events` have the id that the state gave them a moment later',
    here: 'as the node returned them, without one',
    why: 'An event is written when it happens, because a graph may change the value afterwards.',
  },
];
