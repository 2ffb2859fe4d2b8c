import { listen, toNodeListener } from '@roadstead/kit';
import {
  deployed,
  push,
  startFixture as startControl,
} from '../../packages/control-plane/src/testing/fixture.ts';
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
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const [, workspace_id] = /^key-(.+)$/.exec(request.headers.get('x-api-key') ?? '') ?? [];
    if (workspace_id === undefined) return Response.json({ detail: 'No such key.' }, { status: 401 });
    const { method } = request;
    const headers = new Headers(request.headers);
    headers.set('x-api-key', `rs_admin_${workspace_id}`);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    const init = { method, headers, body };
    return pathname.startsWith('/api-host/')
      ? control.fetch(new Request(request.url, init))
      : traces.send(pathname + search, { ...init, workspace_id });
  };
  const server = stack.use(await listen(toNodeListener(answer), { host: '127.0.0.1', port: 0 }));
  const opened = stack.move();
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
