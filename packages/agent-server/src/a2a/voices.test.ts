import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../testing/listening-agent.ts';

/** Several voices of one graph at once, as clients of A2A hear them. */

const listening = useFixture(listeningAgent);

interface StreamEvent {
  readonly kind: string;
  readonly id?: string;
  readonly taskId?: string;
  readonly append?: boolean;
  readonly status?: { readonly state: string };
  readonly artifact?: { readonly artifactId: string; readonly parts: readonly { readonly text: string }[] };
}

const call = (graph: string, method: string, params: object) =>
  fetch(`${listening().url}/a2a/${graph}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

/** Sends a message, and gives what its stream tells. */
async function* said(graph: string, text: string): AsyncGenerator<StreamEvent> {
  const message = { role: 'user', messageId: crypto.randomUUID(), parts: [{ kind: 'text', text }] };
  const { body } = await call(graph, 'message/stream', { message });
  let rest = '';
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: ')) yield (JSON.parse(line.slice(6)) as { result: StreamEvent }).result;
  }
}

test.each([
  ['duet', 'together', ['first voice', 'second one']],
  ['duet', 'batch', ['first voice', 'second one']],
  ['duet', 'push', ['first voice', 'second one']],
  ['voices', 'all', ['a much longer second one', 'first voice']],
])(
  'when models of %s speak %s, then a stream has each as an artifact of its own',
  async (graph, way, expected) => {
    const artifacts = new Map<string, string>();
    for await (const { artifact, append } of said(graph, way)) {
      if (artifact === undefined) continue;
      const before = append === true ? (artifacts.get(artifact.artifactId) ?? '') : '';
      artifacts.set(artifact.artifactId, before + artifact.parts.map(({ text }) => text).join(''));
    }
    expect([...artifacts.values()].toSorted()).toEqual(expected);
  },
);

test('when a node pushes a message, then a stream has it before the node ends', async () => {
  let task_id = '';
  const states: string[] = [];
  for await (const { id, taskId, status, artifact } of said('duet', 'push and wait')) {
    task_id = taskId ?? id ?? '';
    if (status !== undefined) states.push(status.state);
    if (artifact === undefined || states.includes('asked')) continue;
    expect(artifact.parts).toEqual([{ kind: 'text', text: 'Please wait.' }]);
    const asked = await (await call('duet', 'tasks/get', { id: task_id })).json();
    expect(asked).toMatchObject({ result: { status: { state: 'working' }, artifacts: [artifact] } });
    states.push('asked');
    await call('duet', 'tasks/cancel', { id: task_id });
  }
  expect(states).toEqual(['submitted', 'working', 'asked', 'canceled']);
});
