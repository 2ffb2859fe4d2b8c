import { listen, toNodeListener } from '@roadstead/http';
import {
  deployed,
  push,
  startFixture as startControl,
} from '../../packages/control-plane/src/testing/fixture.ts';
import { FakeAgent } from './fake-agent.ts';
import type { Fixture } from '../../packages/observability/src/testing/observability-fixture.ts';

export interface WholeApi extends AsyncDisposable {
  readonly url: string;
}

/** The name of the deployment that is there. */
export const DEPLOYMENT = 'support';

/**
 * The observability service and, below `/api-host`, the control plane over real HTTP, with a deployment of two revisions
 * in the first workspace. Keys are `key-{workspace id}`.
 */
export async function startWholeApi(traces: Fixture): Promise<WholeApi> {
  await using stack = new AsyncDisposableStack();
  const control = stack.use(await startControl());
  const listener = control.listener();
  const { id } = await deployed(control, DEPLOYMENT, listener);
  await push(control, id, 'newer');
  await listener.reach(await listener.next(id));
  const agent = new FakeAgent();
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search, origin } = new URL(request.url);
    if (pathname.startsWith('/agents/')) return agent.answer(request);
    const [, workspace_id] = /^key-(.+)$/.exec(request.headers.get('x-api-key') ?? '') ?? [];
    if (workspace_id === undefined) return Response.json({ detail: 'No such key.' }, { status: 401 });
    const { method } = request;
    const headers = new Headers(request.headers);
    headers.set('x-api-key', `rs_admin_${workspace_id}`);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    const init = { method, headers, body };
    if (!pathname.startsWith('/api-host/')) return traces.send(pathname + search, { ...init, workspace_id });
    const answered = await control.fetch(new Request(request.url, init));
    // Agents answer here, under any name of the fixture.
    const text = (await answered.text()).replaceAll('http://roadstead.test', origin);
    return new Response(text, { status: answered.status, headers: answered.headers });
  };
  const server = stack.use(await listen(toNodeListener(answer), { host: '127.0.0.1', port: 0 }));
  agent.card_url = `http://127.0.0.1:${server.port}/agents/${DEPLOYMENT}/a2a/agent`;
  const opened = stack.move();
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
