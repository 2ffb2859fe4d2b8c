import type { Manifest } from '@roadstead/contracts/host';
import { assistantIdOf } from '@roadstead/kit';
import { type Database, openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { ENGINE_SCHEMA } from '../database/engine-migrations.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { BeginTask, Owner } from '../tasks/task-engine.ts';
import { engineSchema } from './engine-database.ts';
import { openTestEngine, type Script, type TestEngine } from './test-engine.ts';

/** Engines whose graph host is a function, and the messages that begin tasks on them. */

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
const manifest: Manifest = { graphs: [graph], langgraph_version: null };
export const owner: Owner = { principal: 'workspace:w', assistant_id: assistantIdOf('agent') };
export const revision_id = '11111111-1111-4111-8111-111111111111';
/** The signal of a caller who never leaves. */
export const never = new AbortController().signal;

export const echo: Script = async (params, emit) => {
  emit([{ kind: 'message', message: { id: `ai-${params.run_id}`, role: 'assistant', text: 'hello' } }]);
  return { outcome: 'success', interrupts: [], output: null };
};

let messages = 0;
export function message(text: string, more: Partial<BeginTask> = {}): BeginTask {
  messages += 1;
  return {
    context_id: undefined,
    digest: `key-${messages}`,
    message: { message_id: `m-${messages}`, role: 'user', parts: [{ kind: 'text', text }] },
    input: { messages: [{ role: 'user', content: text }] },
    stream: false,
    tracing_thread_id: undefined,
    metadata: {},
    ...more,
  };
}

/** Opens engines and databases; the databases are closed after the test. */
export function useEngines() {
  const stack = useFixturePerTest(() => new AsyncDisposableStack());
  const freshUrl = async (): Promise<string> => stack().use(await freshDatabase('test', [engineSchema])).url;
  const openedDatabase = async (url: string): Promise<Database> =>
    stack().use(openDatabase({ url, max: 4, name: 'engine test', schema: ENGINE_SCHEMA }));
  const openEngineOn = async (
    db: Database,
    script: Script,
    more: Partial<EngineOptions> = {},
  ): Promise<TestEngine> => {
    const engine = await openTestEngine(db, script, more);
    engine.activate(revision_id, manifest);
    return engine;
  };
  const openEngine = async (url: string, script: Script): Promise<TestEngine> =>
    openEngineOn(await openedDatabase(url), script);
  return { freshUrl, openedDatabase, openEngine, openEngineOn };
}
