import { uuidv7 } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import type { HostEvent, Manifest, RunResult, RunParams } from '@roadstead/contracts/host';
import { freshDatabase } from '@roadstead/testing';
import { engineSchema } from '../testing/engine-database.ts';
import { taskEngineSuite } from '../testing/task-engine-suite.ts';
import { ENGINE_SCHEMA } from '../database/engine-migrations.ts';
import { openTestEngine } from '../testing/test-engine.ts';

const names = ['echo', 'memory', 'ask', 'form', 'gate', 'fail'];
const manifest: Manifest = {
  graphs: names.map((graph_id) => ({
    graph_id,
    description: null,
    channels: ['messages'],
    has_messages: true,
  })),

  langgraph_version: null,
};
type Emit = (events: readonly HostEvent[]) => void;
const done: RunResult = { outcome: 'success', interrupts: [], output: null };
const textOf = (p: RunParams) =>
  ((p.input as { messages?: { content: string }[] } | undefined)?.messages ?? [])
    .map((message) => message.content)
    .join('');
const say = (emit: Emit, text: string) => {
  emit([{ kind: 'message', message: { id: uuidv7(), role: 'assistant', text } }]);
  return done;
};
const ask = (value: unknown): RunResult => ({
  outcome: 'success',
  interrupts: [{ id: 'i', value }],
  output: null,
});

taskEngineSuite('real', async () => {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase('test', [engineSchema]));
  const db = stack.use(openDatabase({ url, max: 4, name: 'suite', schema: ENGINE_SCHEMA }));
  const gate = Promise.withResolvers<void>();
  const said = new Map<string, string[]>();
  const isTold = async (artifact_id: string) =>
    (await db.run(`select from run_events where events @> $1::text::jsonb`, [
      JSON.stringify([{ message_id: artifact_id }]),
    ])) > 0;
  const run = async (p: RunParams, emit: Emit): Promise<RunResult> => {
    switch (p.graph_id) {
      case 'echo': {
        if (!p.chunks) return say(emit, `Echo: ${textOf(p)}`);
        emit([{ kind: 'chunk', message_id: p.run_id, text: 'Echo: ' }]);
        // The next piece comes once the first is told, so that it is told apart.
        while (!(await isTold(p.run_id))) await new Promise((r) => setImmediate(r));
        emit([{ kind: 'chunk', message_id: p.run_id, text: textOf(p) }]);
        emit([{ kind: 'message', message: { id: p.run_id, role: 'assistant', text: `Echo: ${textOf(p)}` } }]);
        return done;
      }
      case 'memory': {
        const l = said.get(p.thread_id) ?? [];
        l.push(textOf(p));
        said.set(p.thread_id, l);
        return say(emit, l.join(' | '));
      }
      case 'ask':
        return p.resume === undefined || p.resume.value === 'again'
          ? ask('What is your name?')
          : say(emit, `Hello, ${String(p.resume.value)}!`);
      case 'form':
        return p.resume === undefined
          ? ask({ question: 'Which?', options: ['a', 'b'] })
          : say(emit, JSON.stringify(p.resume.value));
      case 'gate':
        await gate.promise;
        return say(emit, 'Opened');
      default:
        return { outcome: 'error', error: { name: 'Error', message: 'no luck' } };
    }
  };
  const engine = await openTestEngine(db, run);
  engine.activate(uuidv7(), manifest);
  stack.use(engine);
  return {
    engine,
    release: () => gate.resolve(),
    [Symbol.asyncDispose]: async () => {
      gate.resolve();
      await stack.disposeAsync();
    },
  };
});
