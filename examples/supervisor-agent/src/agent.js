import { AIMessage } from '@langchain/core/messages';
import { Annotation, Command, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { findFacts } from './facts.js';

/** Beside the conversation, what the workers made for the present message. */
const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  facts: Annotation(),
  text: Annotation(),
});

const askedOf = ({ messages }) => String(messages.at(-1)?.text ?? '');
const wantsText = (asked) => /\b(write|note|letter|text)\b/i.test(asked);

/** The supervisor's decision. */
function nextOf(state) {
  if (state.facts === null) return 'researcher';
  if (state.facts.length > 0 && state.text === null && wantsText(askedOf(state))) return 'writer';
  return 'reply';
}

function supervisor(state) {
  return new Command({ goto: nextOf(state) });
}

function researcher(state) {
  return new Command({ goto: 'supervisor', update: { facts: findFacts(askedOf(state)) } });
}

function writer({ facts }) {
  const sentences = facts.map(
    ({ name, capital, people }) => `${name}, home of ${people} million people, is governed from ${capital}.`,
  );
  return new Command({ goto: 'supervisor', update: { text: sentences.join(' ') } });
}

/** The answer of them all: one message in the conversation. */
function reply({ facts, text }) {
  const listed = facts.map(({ name, capital, people }) => `${name}: ${capital}, ${people} million people`);
  const nothing = 'My researcher knows France, Japan, Kenya, Norway, Peru and Portugal; ask about those.';
  return { messages: [new AIMessage(text ?? (listed.join('; ') || nothing))] };
}

export const graph = new StateGraph(State)
  .addNode('begin', () => ({ facts: null, text: null }))
  .addNode('supervisor', supervisor, { ends: ['researcher', 'writer', 'reply'] })
  .addNode('researcher', researcher, { ends: ['supervisor'] })
  .addNode('writer', writer, { ends: ['supervisor'] })
  .addNode('reply', reply)
  .addEdge(START, 'begin')
  .addEdge('begin', 'supervisor')
  .addEdge('reply', END)
  .compile();
