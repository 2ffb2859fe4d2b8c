import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { fixtureRevision, openAgent } from '../../testing/open-agent.ts';
import { rpc, send, send10, user, user10 } from '../../testing/rpc-messages.ts';
import { a2uiExtension } from './a2ui.ts';
import { HISTORY_SCOPE_URI } from './history-scope.ts';

/** A2A answers name the extensions that they activate. */

const agent = useFixture(openAgent);
beforeAll(() => agent().serve(crypto.randomUUID()));

async function heard(body: object, headers: Record<string, string>) {
  const request = new Request('http://roadstead.test/a2a/agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = await agent().fetch(request);
  await answer.text();
  return [answer.headers.get('a2a-extensions'), answer.headers.get('x-a2a-extensions')];
}

const calls: Record<string, () => object> = {
  'message/send': () => send(user('one')),
  'message/stream': () => ({ ...send(user('one')), method: 'message/stream' }),
  'tasks/get': () => rpc('tasks/get', { id: crypto.randomUUID() }),
  SendMessage: () => send10(user10('one')),
  SendStreamingMessage: () => ({ ...send10(user10('one')), method: 'SendStreamingMessage' }),
  ListTasks: () => rpc('ListTasks', {}),
};

const asked: Record<string, [Record<string, string>, (string | null)[]]> = {
  nothing: [{}, [null, null]],
  'an unknown one': [{ 'a2a-extensions': 'https://example.com/none' }, [null, null]],
  'one that there is': [{ 'A2A-Extensions': HISTORY_SCOPE_URI }, [HISTORY_SCOPE_URI, null]],
  'one by the name of 0.3': [{ 'X-A2A-Extensions': HISTORY_SCOPE_URI }, [null, HISTORY_SCOPE_URI]],
  'several by both names': [
    {
      'a2a-extensions': `https://example.com/none,${HISTORY_SCOPE_URI} , ${HISTORY_SCOPE_URI}`,
      'x-a2a-extensions': `,, ${HISTORY_SCOPE_URI}`,
    },
    [HISTORY_SCOPE_URI, HISTORY_SCOPE_URI],
  ],
  'one that the card does not name': [{ 'a2a-extensions': a2uiExtension.uri }, [null, null]],
};

test.for(
  Object.entries(calls).flatMap(([method, body]) =>
    Object.entries(asked).map(([what, [headers, told]]) => [method, what, { body, headers, told }] as const),
  ),
)('when %s asks for %s, then it hears what it gets', async ([method, , { body, headers, told }]) => {
  const isKnown = method !== 'tasks/get';
  // A refusal activates nothing.
  expect(await heard(body(), headers)).toEqual(isKnown ? told : [null, null]);
});

test('when an assistant sends user interfaces, then their extension is told as well', async () => {
  await using sending = await openAgent();
  const spec = fixtureRevision(crypto.randomUUID(), 'a2a');
  const own = { ...spec, environment: { ...spec.environment, A2A_A2UI_ENABLED: 'true' } };
  await sending.server.prepare(own, new AbortController().signal);
  await sending.server.activate(spec.revision_id, new AbortController().signal);
  const answer = await sending.fetch(
    new Request('http://roadstead.test/a2a/screen', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'a2a-extensions': `${a2uiExtension.uri}, ${HISTORY_SCOPE_URI}`,
      },
      body: JSON.stringify(rpc('ListTasks', {})),
    }),
  );
  await answer.text();
  expect(answer.headers.get('a2a-extensions')).toBe(`${a2uiExtension.uri}, ${HISTORY_SCOPE_URI}`);
});
