import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ ...MessagesAnnotation.spec, turns: Annotation<number | undefined> });

async function answer({ messages, turns = 0 }: typeof State.State) {
  const greeting = process.env['GREETING'] ?? 'Hello';
  const said = messages.at(-1)?.text ?? '';
  return {
    messages: [new AIMessage(`${greeting}! You said "${said}". That was turn ${turns + 1}.`)],
    turns: turns + 1,
  };
}

export const graph = new StateGraph(State)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
