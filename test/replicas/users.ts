import { framesOf } from '../chaos/insisting-caller.ts';
import type { Ledger } from './ledger.ts';
import type { MeasuredCaller } from './measured-caller.ts';

/** What users of an installation do all the time, and what they were told is done. */

/** An agent that says its answer letter by letter. */
const SPOKEN = 'spoken';
/** One that answers at once. */
const QUICK = 'quick';
/** A deployment that is changed again and again. */
export const PATCHED = 'patched';
export const PROJECT = 'ledger';

/** What was acknowledged, and has to be there at the end. */
export interface AcknowledgedWork {
  readonly threads: { readonly path: string; readonly said: readonly string[] }[];
  readonly runs: { readonly id: string; readonly text: string }[];
  readonly revisions: string[];
  refresh_token: string;
  readonly access_tokens: string[];
}

export interface World {
  readonly caller: MeasuredCaller;
  readonly ledger: Ledger;
  readonly acknowledged: AcknowledgedWork;
  readonly client_id: string;
  readonly deployment_id: string;
  /** How many revisions it had before it was patched. */
  readonly first_revisions: number;
}

/** One thing that a user does, again and again. */
export type Use = (world: World) => Promise<void>;

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
interface Run {
  readonly run_id: string;
  readonly status: string;
}
interface State {
  readonly messages?: readonly { readonly type: string; readonly content: string }[];
}
export const saidIn = ({ messages = [] }: State): readonly string[] => messages.map(({ content }) => content);

/** A thread has one run: who was not answered looks whether it was begun before asking for it again. */
async function runOn({ caller }: World, path: string, kind: string): Promise<Run | undefined> {
  const answer = await caller.ask(kind, `${path}/runs`);
  if (answer.status === 404) return undefined;
  const runs = (await answer.json()) as Run[];
  return runs[0];
}

const bodyOf = (text: string) => ({
  assistant_id: 'agent',
  input: { messages: [{ role: 'user', content: text }] },
  if_not_exists: 'create',
  on_disconnect: 'continue',
});

const sendMessage: Use = async (world) => {
  const { caller, acknowledged, ledger } = world;
  const text = crypto.randomUUID();
  const path = `/agents/${QUICK}/threads/${crypto.randomUUID()}`;
  const state = await caller.insist('message', async (tries) => {
    const begun = tries === 0 ? undefined : await runOn(world, path, 'message');
    return begun === undefined
      ? caller.json<State>('message', `${path}/runs/wait`, post(bodyOf(text)))
      : caller.json<State>('message', `${path}/runs/${begun.run_id}/join`);
  });
  const said = [text, `javascript 1: ${text}`];
  if (saidIn(state).at(-1) !== said[1]) ledger.fault('message', JSON.stringify(state));
  acknowledged.threads.push({ path, said });
};

const followStream: Use = async (world) => {
  const { caller, acknowledged, ledger } = world;
  const text = 'a story';
  const path = `/agents/${SPOKEN}/threads/${crypto.randomUUID()}`;
  const body = { ...bodyOf(text), stream_mode: ['messages-tuple', 'values'], stream_resumable: true };
  const { run_id } = await caller.insist('run', async (tries) => {
    const begun = tries === 0 ? undefined : await runOn(world, path, 'run');
    return begun ?? caller.json<Run>('run', `${path}/runs`, post(body));
  });
  const ids: number[] = [];
  let [last_ms, longest_ms, is_over] = [performance.now(), 0, false];
  while (!is_over) {
    const { status } = await caller.insist('run read', () =>
      caller.json<Run>('run read', `${path}/runs/${run_id}`),
    );
    const headers = { 'last-event-id': String(ids.at(-1) ?? -1) };
    const stream = await caller.insist('stream', () =>
      caller.ask('stream', `${path}/runs/${run_id}/stream`, { headers }),
    );
    for await (const { id } of framesOf(stream)) {
      longest_ms = Math.max(longest_ms, performance.now() - last_ms);
      last_ms = performance.now();
      if (id !== '') ids.push(Number(id));
    }
    is_over = status === 'success';
    if (status === 'error') ledger.fault('stream', `run ${run_id} ended with an error`);
    if (status === 'error') return;
  }
  // What came while nothing was read came late, not out of order.
  ledger.answered({ kind: 'next frame', took_ms: longest_ms, retried: [] });
  const ascending = [...new Set(ids)].toSorted((one, other) => one - other);
  if (ids.length === 0 || String(ids) !== String(ascending))
    ledger.fault('stream', `events ${ids.join(' ')}`);
  acknowledged.threads.push({ path, said: [text, `heard: ${text}`] });
};

const RUNS_A_BATCH = 5;
const ingestRuns: Use = async ({ caller, acknowledged }) => {
  const at = new Date().toISOString();
  const batch = Array.from({ length: RUNS_A_BATCH }, () => {
    const id = crypto.randomUUID();
    return {
      id,
      trace_id: id,
      dotted_order: `${at.replaceAll(/[-:.Z]/g, '')}000Z${id}`,
      name: 'kept',
      run_type: 'chain',
      session_name: PROJECT,
      start_time: at,
      end_time: at,
      inputs: { text: id },
      outputs: {},
    };
  });
  await caller.insist('ingestion', () =>
    caller.json('ingestion', '/runs/batch', post({ post: batch, patch: [] })),
  );
  acknowledged.runs.push(...batch.map(({ id }) => ({ id, text: id })));
};

const readThings: Use = async ({ caller, acknowledged, ledger }) => {
  const newest = acknowledged.runs.at(-1);
  if (newest !== undefined) {
    const run = await caller.insist('trace read', () =>
      caller.json<{ readonly inputs: { readonly text: string } }>('trace read', `/runs/${newest.id}`),
    );
    if (run.inputs.text !== newest.text) ledger.fault('trace read', JSON.stringify(run));
  }
  await caller.insist('deployments read', () => caller.json('deployments read', '/v2/deployments'));
  const headers = { accept: 'application/json, text/event-stream' };
  const listed = await caller.insist('tools read', async () => {
    const answer = await caller.ask('tools read', '/mcp', {
      ...post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      headers,
    });
    return answer.text();
  });
  if (!listed.includes('get_thread_history')) ledger.fault('tools read', listed.slice(0, 500));
};

const signIn: Use = async ({ caller, acknowledged, client_id }) => {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id,
    refresh_token: acknowledged.refresh_token,
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const tokens = await caller.insist('refresh', () =>
    caller.json<{ readonly access_token: string; readonly refresh_token: string }>(
      'refresh',
      '/oauth/token',
      { method: 'POST', body, headers },
    ),
  );
  acknowledged.refresh_token = tokens.refresh_token;
  acknowledged.access_tokens.push(tokens.access_token);
  const authorization = `Bearer ${tokens.access_token}`;
  await caller.insist('signed in', () =>
    caller.json('signed in', '/sessions?limit=1', { headers: { authorization, 'x-api-key': '' } }),
  );
};

interface Deployment {
  readonly latest_revision_id: string;
  readonly active_revision_id: string | null;
}

const patchDeployment: Use = async ({ caller, acknowledged, ledger, deployment_id }) => {
  const path = `/v2/deployments/${deployment_id}`;
  const read = () =>
    caller.insist('deployment read', async () => {
      const answer = await caller.ask('deployment read', path);
      return { etag: answer.headers.get('etag') ?? '', deployment: (await answer.json()) as Deployment };
    });
  const before = await read();
  const secrets = [{ name: 'TURN', value: crypto.randomUUID() }];
  const status = await caller.insist('patch', async () => {
    const headers = { 'if-match': before.etag };
    const answer = await caller.ask('patch', path, {
      method: 'PATCH',
      body: JSON.stringify({ secrets }),
      headers,
    });
    await answer.arrayBuffer();
    return answer.status;
  });
  // A patch whose answer was lost is refused the second time: it was made.
  if (status !== 200 && status !== 412) ledger.fault('patch', String(status));
  let { deployment } = await read();
  const wanted = deployment.latest_revision_id;
  if (wanted === before.deployment.latest_revision_id) return ledger.fault('patch', 'no revision came');
  acknowledged.revisions.push(wanted);
  while (deployment.active_revision_id !== wanted) ({ deployment } = await read());
};

/** The agents that they use. */
export const agents: Readonly<Record<string, string>> = {
  [SPOKEN]: 'unhurried',
  [QUICK]: 'javascript',
  [PATCHED]: 'javascript',
};

/** Each kind of use, and how many do it at once. A refresh token is one program's, and a deployment has one owner. */
export const uses: readonly (readonly [Use, number])[] = [
  [sendMessage, 3],
  [followStream, 2],
  [ingestRuns, 2],
  [readThings, 3],
  [signIn, 1],
  [patchDeployment, 1],
];
