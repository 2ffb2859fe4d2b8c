import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { RuleModel } from './model.js';

const states = [
  'is being packed',
  'has left our warehouse',
  'is out for delivery',
  'was delivered yesterday',
];

const lookUpOrder = tool(async ({ order }) => `order ${order} ${states[Number(order) % states.length]}.`, {
  name: 'look_up_order',
  description: 'Tells where an order is.',
  schema: z.object({ order: z.string() }),
});

const tools = [lookUpOrder];
const model = new RuleModel({}).bindTools(tools);

/** Model and tools in turns, until the model has nothing more to look up. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1)?.tool_calls?.length > 0 ? 'tools' : END), [
    'tools',
    END,
  ])
  .addEdge('tools', 'model')
  .compile();
