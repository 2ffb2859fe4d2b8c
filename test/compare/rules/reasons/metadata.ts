import { isMissingHere, isOnlyHere, type Reason } from './reason.ts';

/** What is told about runs, beside what they do. */
export const metadata: readonly Reason[] = [
  {
    path: /\b(?:langgraph_plan|langgraph_host|langgraph_api_version)$/,
    fits: isMissingHere,
    there: '`metadata` names its version, a plan and a host',
    here: 'left out',
    why: 'There is no plan, and code that looks for the original would take this for it.',
  },
  {
    path: /\blanggraph_api_url$/,
    there: '`langgraph_api_url` is its own address, in checkpoints, too',
    here: 'the address of the deployment, in runs and events',
    why: 'Each names itself. A checkpoint outlives addresses.',
  },
  {
    path: /metadata\.(?:user_id|run_attempt|langgraph_version|langgraph_auth_user_id|langgraph_request_id|thread_id|langgraph_step|langgraph_node|langgraph_triggers|langgraph_path|langgraph_checkpoint_ns|checkpoint_ns|checkpoint_map|checkpoint_id|parent_checkpoint_id)$/,
    fits: isMissingHere,
    there: '`metadata` of checkpoints also names the request, the caller, the attempt and the step',
    here: 'the metadata of the run, its graph and its assistant',
    why: 'What is kept with each checkpoint is what clients said. The rest is found by the run.',
  },
  {
    path: /\bmetadata\.graph_id$/,
    there: 'checkpoints of `update_state` name their graph, runs without a thread do not',
    here: 'the other way round',
    why: 'A run tells its graph wherever it runs; a state that a client writes has no run.',
  },
  {
    path: /\bkwargs\./,
    there: '`kwargs` of a run holds all that its queue hands on, with defaults and names of its own',
    here: 'what the client gave',
    why: 'What a client did not say is not shown as if it had.',
  },
  {
    path: /\b(?:parent_)?config\.configurable\.(?:langgraph_auth_\w+|langgraph_request_id|__\w+|user_id|user-agent)$/,
    there: '`config` of streamed checkpoints holds what the queue hands on, and no headers',
    here: 'what the graph was given: `configurable_headers` are among it, such as `user-agent`',
    why: 'A stream shows what nodes read.',
  },
  {
    path: /langsmith_session_name$/,
    fits: ({ theirs }) => theirs === null,
    there: '`langsmith_session_name` is null without a key of LangSmith',
    here: 'the project of the traces',
    why: 'Runs are traced here without anything more.',
  },
  {
    path: /revision_id$/,
    fits: isOnlyHere,
    there: 'no `revision_id`',
    here: '`metadata` of runs names the revision that runs them',
    why: 'A server in development has no revisions.',
  },
];
