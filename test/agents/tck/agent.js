import { AIMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { setTimeout as after } from 'node:timers/promises';

/** What the scenarios of the compatibility kits ask for, by the prefix of the message's id. */

const file = { name: 'output.txt', media_type: 'text/plain' };
const says = (text) => () => [new AIMessage(text)];
const shows = (...blocks) => [new AIMessage({ content: blocks })];
const fileBlock = (content) => ({
  type: 'file',
  ...content,
  mimeType: file.media_type,
  metadata: { filename: file.name },
});
/** Twice as long as the kits wait for the events of a stream. */
const LONG_MS = 4000;

/** Each by what its answer is made of; the longest prefix that fits counts. */
const scenarios_by_prefix = {
  'tck-complete-task': says('Hello from TCK'),
  'tck-artifact-text': says('Generated text content'),
  'tck-artifact-file': () => shows(fileBlock({ data: Buffer.from('output').toString('base64') })),
  'tck-artifact-file-url': () => shows(fileBlock({ url: 'https://example.com/output.txt' })),
  'tck-artifact-data': () => shows({ type: 'data', data: { key: 'value', count: 42 } }),
  'tck-message-response': () => [
    new AIMessage({ content: 'Direct message response', additional_kwargs: { a2a: 'message' } }),
  ],
  'tck-reject-task': () => {
    throw Object.assign(new Error('rejected'), { a2a: 'reject' });
  },
  'tck-input-required': () => ask(),
  'tck-stream-001': says('Stream hello from TCK'),
  'tck-stream-003': says('Stream task lifecycle'),
  'tck-stream-ordering-001': says('Ordered output'),
  'tck-stream-artifact-text': says('Streamed text content'),
  'tck-stream-artifact-file': () => shows(fileBlock({ data: Buffer.from('output').toString('base64') })),
  'tck-stream-artifact-chunked': async () => [
    await new FakeListChatModel({ responses: ['chunk-1 chunk-2'], sleep: 5 }).invoke('chunks'),
  ],
  'test-resubscribe-message-id': async (_message, signal) => {
    await after(LONG_MS, undefined, { signal });
    return [new AIMessage('Waited')];
  },
};

/** The kit's conversations go on as long as it says so. */
function ask() {
  let said;
  do said = interrupt('What else?');
  while (String(said).startsWith('TCK history message'));
  return [new AIMessage('Hello from TCK')];
}

function scenarioOf(id) {
  const prefixes = Object.keys(scenarios_by_prefix).filter((prefix) => id.startsWith(prefix));
  const [longest = 'tck-complete-task'] = prefixes.toSorted((one, other) => other.length - one.length);
  return scenarios_by_prefix[longest];
}

const graphOf = (answer) =>
  new StateGraph(MessagesAnnotation)
    .addNode('answer', async ({ messages }, { signal }) => {
      const message = messages.at(-1);
      return { messages: await answer(message, signal) };
    })
    .addEdge('__start__', 'answer')
    .addEdge('answer', '__end__')
    .compile();

/** The client's own id: A2A's messages have a namespace of their own in the state. */
const idOf = ({ id = '' }) => id.replace(/^a2a:\d+:/, '');

export const scenarios = graphOf((message, signal) => scenarioOf(idOf(message))(message, signal));

/** The kit of A2A 0.3 goes on with, cancels and reads tasks that it has begun with any message. */
export const patient = graphOf((message, signal) =>
  idOf(message).startsWith('test-resubscribe-message-id')
    ? scenarioOf(idOf(message))(message, signal)
    : askForEver(),
);

function askForEver() {
  for (;;) interrupt('What else?');
}
