import { Annotation, END, StateGraph } from '@langchain/langgraph';

const STEPS = 20;

/** Writes `{ "step": N, "text": 250,000 characters }` to the custom stream at each of twenty steps, and prints `step N`. */
export const graph = new StateGraph(Annotation.Root({ step: Annotation() }))
  .addNode('say', ({ step = 0 }, { writer }) => {
    console.log(`step ${step}`);
    writer({ step, text: 'x'.repeat(250_000) });
    return { step: step + 1 };
  })
  .addEdge('__start__', 'say')
  .addConditionalEdges('say', ({ step }) => (step < STEPS ? 'say' : END))
  .compile();
