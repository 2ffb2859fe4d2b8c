import { taskEngineSuite } from './task-engine-suite.ts';
import { fakeGraphs } from './fake-graphs.ts';
import { FakeTaskEngine } from './fake-task-engine.ts';

taskEngineSuite('in memory', async () => {
  const { graphs, release } = fakeGraphs();
  return { engine: new FakeTaskEngine(graphs), release, [Symbol.asyncDispose]: async () => release() };
});
