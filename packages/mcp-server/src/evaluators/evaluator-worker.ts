import { parentPort } from 'node:worker_threads';
import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule, Scope } from 'quickjs-emscripten-core';
import type { EvaluatorAnswer, EvaluatorJob } from './evaluator-job.ts';

/**
 * Runs evaluators in an interpreter of their own, in WebAssembly: they see their arguments and the language, but no
 * network, files, timers or other evaluators. Each call gets a fresh interpreter.
 */

const LIMIT_MS = 1000;
const MEMORY_BYTES = 33_554_432;
const STACK_BYTES = 131_072;
const MAX_RESULT = 20_000;
const MAX_MESSAGE = 300;

const interpreter = newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));

/** The function is on lines of its own, so that a comment at its end hides nothing. */
const called = (code: string, given: string | undefined) => `(() => {
  const evaluator = (
${code}
);
  if (typeof evaluator !== 'function') throw new TypeError('the code gives no function');
  ${given === undefined ? 'return "{}";' : callOf(given)}
})()`;

const callOf = (given: string) => `
  const result = evaluator(...JSON.parse(${JSON.stringify(given)}));
  if (result instanceof Promise) throw new TypeError('the function is async, and nothing is there to wait for');
  const json = JSON.stringify({ result });
  if (json.length > ${MAX_RESULT}) throw new RangeError('the result is too long');
  return json;`;

function answer(quickjs: QuickJSWASMModule, { code, given }: EvaluatorJob): EvaluatorAnswer {
  return Scope.withScope((scope) => {
    const runtime = scope.manage(quickjs.newRuntime());
    runtime.setMemoryLimit(MEMORY_BYTES);
    runtime.setMaxStackSize(STACK_BYTES);
    const until = Date.now() + LIMIT_MS;
    runtime.setInterruptHandler(() => Date.now() > until);
    const context = scope.manage(runtime.newContext());
    const result = context.evalCode(called(code, given), 'evaluator.js');
    if (result.error === undefined) {
      const json = context.getString(scope.manage(result.value));
      return isResult(json) ? { json } : { failure: 'gives something else than a result' };
    }
    const failure = sentenceOf(context.dump(scope.manage(result.error)));
    return { failure: Date.now() > until ? `takes longer than ${LIMIT_MS / 1000} s` : failure };
  });
}

/** Code can break out of the function around it, or replace the language’s own functions. */
function isResult(json: string): boolean {
  if (json.length > MAX_RESULT) return false;
  try {
    const said: unknown = JSON.parse(json);
    return typeof said === 'object' && said !== null;
  } catch {
    return false;
  }
}

function sentenceOf(error: unknown): string {
  const { name, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const said = typeof message === 'string' ? `${String(name)}: ${message}` : `threw ${shownError(error)}`;
  return said.slice(0, MAX_MESSAGE);
}

const shownError = (error: unknown) => (typeof error === 'bigint' ? error.toString() : JSON.stringify(error));

parentPort?.on('message', async (job: EvaluatorJob) => {
  const quickjs = await interpreter;
  // An uncaught error ends the thread, and is reported by its end.
  const said = answer(quickjs, job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(said);
});
