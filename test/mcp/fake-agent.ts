import { uuidv7 } from '@roadstead/kit';

/** An agent that speaks A2A 0.3 over HTTP and does what a message says; nothing of it is ours. */

interface Part {
  readonly kind: string;
  readonly text?: string;
  readonly data?: { readonly question?: string };
}

interface Rpc {
  readonly method: string;
  readonly params: {
    readonly id?: string;
    readonly message?: {
      readonly messageId: string;
      readonly contextId?: string;
      readonly taskId?: string;
      readonly parts: readonly Part[];
    };
  };
}

interface FakeTask {
  readonly id: string;
  readonly contextId: string;
  readonly said: string;
  reads: number;
}

export class FakeAgent {
  readonly received: Rpc[] = [];
  readonly keys: (string | null)[] = [];
  /** So many calls are answered 503, as while a revision is switched to. */
  away = 0;
  /** So many times a task is read before it is done. */
  reads_until_done = 1;
  /** What every message is refused with. */
  refusal: string | undefined;
  card_url = 'http://roadstead.test/agents/support/a2a/agent/';
  readonly #tasks = new Map<string, FakeTask>();

  readonly answer = async (request: Request): Promise<Response> => {
    this.keys.push(request.headers.get('x-api-key'));
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/.well-known/agent-card.json')) return Response.json({ url: this.card_url });
    if (!pathname.endsWith('/a2a/agent'))
      return Response.json({ detail: 'No assistant of this id.' }, { status: 404 });
    if (this.away > 0) {
      this.away -= 1;
      return Response.json({ detail: 'Is being started.' }, { status: 503 });
    }
    const rpc = (await request.json()) as Rpc;
    this.received.push(rpc);
    if (this.refusal !== undefined)
      return Response.json({ jsonrpc: '2.0', id: '1', error: { code: -32_602, message: this.refusal } });
    const task = rpc.method === 'message/send' ? this.#begin(rpc) : this.#tasks.get(rpc.params.id ?? '');
    if (task === undefined)
      return Response.json({ jsonrpc: '2.0', id: '1', error: { code: -32_001, message: 'No such task.' } });
    return Response.json({ jsonrpc: '2.0', id: '1', result: this.#shown(task) });
  };

  #begin({ params }: Rpc): FakeTask {
    const [part] = params.message?.parts ?? [];
    const said = part?.text ?? part?.data?.question ?? '';
    const contextId = params.message?.contextId ?? uuidv7();
    const task = { id: params.message?.taskId ?? uuidv7(), contextId, said, reads: 0 };
    this.#tasks.set(task.id, task);
    return task;
  }

  #shown(task: FakeTask): object {
    task.reads += 1;
    const { id, contextId, said } = task;
    const shown = (state: string, more: object = {}) => ({
      kind: 'task',
      id,
      contextId,
      status: { state, ...more },
    });
    const says = (text: string) => ({ message: { kind: 'message', parts: [{ kind: 'text', text }] } });
    if (task.reads <= this.reads_until_done || said === 'hang') return shown('working');
    if (said === 'ask') return shown('input-required', says('Which order?'));
    if (said === 'fail') return shown('failed', says('It broke.'));
    const parts = [
      { kind: 'text', text: said.toUpperCase() },
      { kind: 'data', data: { length: said.length } },
    ];
    return { ...shown('completed'), artifacts: [{ artifactId: 'a', parts }] };
  }
}
