import { createHash } from 'node:crypto';
import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { rank } from './ranking.js';

const NOTES = ['notes'];
const PAGE = 500;
const FITTING = 3;

const State = Annotation.Root({ ...MessagesAnnotation.spec, found: Annotation() });

const textOf = ({ messages }) => String(messages.at(-1)?.text ?? '').trim();
const noteIn = (text) => /^remember\b[:,]?\s*(?:that\s+)?(.+)/is.exec(text)?.[1];

/** The same note twice is one. */
async function remember(state, { store }) {
  const note = noteIn(textOf(state));
  await store.put(NOTES, createHash('sha256').update(note).digest('hex').slice(0, 16), { text: note });
  return { messages: [new AIMessage(`Noted: ${note}`)] };
}

async function retrieve(state, { store }) {
  const notes = [];
  for (let offset = 0; offset === notes.length; offset += PAGE)
    notes.push(...(await store.search(NOTES, { limit: PAGE, offset })));
  return {
    found: rank(
      textOf(state),
      notes.map(({ value }) => value.text),
    ).slice(0, FITTING),
  };
}

function answer({ found: [best, ...others] }) {
  if (best === undefined)
    return { messages: [new AIMessage('I have no note about that. Tell me with "Remember: …".')] };
  const also = others.length > 0 ? `\nSee also: ${others.join('; ')}` : '';
  return { messages: [new AIMessage(`According to my notes: ${best}${also}`)] };
}

export const graph = new StateGraph(State)
  .addNode('remember', remember)
  .addNode('retrieve', retrieve)
  .addNode('answer', answer)
  .addConditionalEdges(START, (state) => (noteIn(textOf(state)) ? 'remember' : 'retrieve'), [
    'remember',
    'retrieve',
  ])
  .addEdge('retrieve', 'answer')
  .addEdge('remember', END)
  .addEdge('answer', END)
  .compile();
