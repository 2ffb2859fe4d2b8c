import { AIMessage } from '@langchain/core/messages';
import { DynamicTool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import * as langgraph from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';

/** Written for every version since 0.2: what a version lacks is left out, and `expected.ts` knows where. */
const { Annotation, END, MessagesAnnotation, Send, START, StateGraph } = langgraph;

const say = (text) => ({ messages: [new AIMessage(text)] });
const said = ({ messages }) => messages.filter((message) => message._getType() === 'human');

/** One node, from start to end. */
const graphOf = (node, options) =>
  new StateGraph(MessagesAnnotation)
    .addNode('node', node)
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile(options);

export const agent = graphOf((state) => say(`${said(state).length}: ${said(state).at(-1).content}`));

/** Before `interrupt` a graph could only be stopped before a node. */
export const ask = langgraph.interrupt
  ? graphOf(() => say(`Hello, ${langgraph.interrupt('What is your name?')}!`))
  : graphOf(() => say('Hello!'), { interruptBefore: ['node'] });

export const notes = graphOf(async (state, config) => {
  const store = config?.store ?? langgraph.getStore?.();
  if (store === undefined) return say('no store');
  await store.put(['notes'], 'note', { text: said(state).at(-1).content });
  return say((await store.get(['notes'], 'note')).value.text);
});

const Places = Annotation.Root({
  ...MessagesAnnotation.spec,
  seen: Annotation({ reducer: (one, other) => one.concat(other), default: () => [] }),
});

/** Stops with its tasks pending, so that they are read from the checkpoint. */
export const fan = new StateGraph(Places)
  .addNode('begin', () => ({}))
  .addNode('visit', ({ place }) => ({ seen: [place] }))
  .addNode('tell', ({ seen }) => say(seen.join(', ')))
  .addEdge(START, 'begin')
  .addConditionalEdges('begin', () => ['Cork', 'Brest'].map((place) => new Send('visit', { place })))
  .addEdge('visit', 'tell')
  .addEdge('tell', END)
  .compile({ interruptBefore: ['visit'] });

export const stream = graphOf(async ({ messages }) => ({
  messages: [await new FakeListChatModel({ responses: ['ahoy'], sleep: 1 }).invoke(messages)],
}));

const tide = new DynamicTool({
  name: 'tide_in',
  description: 'Tells the tide of a place.',
  func: async (place) => `high tide in ${place}`,
});

/** Calls the tool, and repeats what it answered. */
export const tools = new StateGraph(MessagesAnnotation)
  .addNode('call', (state) => ({
    messages: [
      new AIMessage({
        content: '',
        tool_calls: [
          { name: 'tide_in', args: { input: said(state).at(-1).content }, id: 'call-1', type: 'tool_call' },
        ],
      }),
    ],
  }))
  .addNode('tools', new ToolNode([tide]))
  .addNode('tell', ({ messages }) => say(messages.at(-1).content))
  .addEdge(START, 'call')
  .addEdge('call', 'tools')
  .addEdge('tools', 'tell')
  .addEdge('tell', END)
  .compile();
