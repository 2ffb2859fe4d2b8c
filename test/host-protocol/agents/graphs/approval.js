import { AIMessage } from '@langchain/core/messages';
import { Annotation, interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ ...MessagesAnnotation.spec, name: Annotation() });

/** Asks `Who?`, then an object, in one node; answers `NAME is ANSWER`. */
export const graph = new StateGraph(State)
  .addNode('ask', () => {
    const name = interrupt('Who?');
    const sure = interrupt({ question: 'Sure?', name });
    return { name, messages: [new AIMessage(`${name} is ${sure}`)] };
  })
  .addEdge('__start__', 'ask')
  .compile();
