import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { StaticSchemas, StaticTask } from './static-schemas.ts';

/** LangGraph's own name for how long it may take. */
const limit_ms = Number(process.env['LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS']) || 30_000;
const MAX_HEAP_MB = 1024;

/**
 * The types of a graph, asked of the project's own TypeScript on a thread of its own: it takes seconds, and runs go on.
 * Undefined where they can't be had: without TypeScript, with one that has no such API, or in the time there is.
 */
export async function readTypes(task: StaticTask): Promise<StaticSchemas | undefined> {
  if (!/^[\w$]+$/.test(task.export_name)) return undefined;
  const worker = new Worker(createRequire(import.meta.url).resolve('@roadstead/graph-host/static-schemas'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const late = setTimeout(() => void worker.terminate(), limit_ms);
  try {
    return await new Promise((resolve) => {
      worker.once('message', (told: StaticSchemas | null) => resolve(told ?? undefined));
      worker.once('error', () => resolve(undefined));
      worker.once('exit', () => resolve(undefined));
    });
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}

/** Where the project's TypeScript is, as the graph's file would find it. */
export function findTypeScript(file: string): string | undefined {
  try {
    return createRequire(file).resolve('typescript');
  } catch {
    return undefined;
  }
}
