import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { Mood } from '@lib/mood';
import { speak } from '@lib/speak';

type State = typeof MessagesAnnotation.State;

function answer({ messages }: State): Partial<State> {
  const text = messages.at(-1)?.text ?? '';
  const mood = text.endsWith('!') ? Mood.Loud : Mood.Calm;
  return { messages: [new AIMessage(`typescript ${mood}: ${speak(text, mood)}`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
