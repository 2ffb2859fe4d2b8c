import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { chooseModel } from './model.js';
import { tools } from './tools.js';

const model = chooseModel().bindTools(tools);

/** Model and tools in turns, until the model asks for none. */
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
