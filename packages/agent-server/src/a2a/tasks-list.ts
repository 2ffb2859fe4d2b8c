import { allInScope, SMALL_PAGE } from './history-scope.ts';
import type { MethodCall } from './method-call.ts';
import { tailorOf } from './output-modes.ts';
import { presentSnapshot } from './presentation-rules.ts';
import { decodeList, encodePage } from './list-codec.ts';

/** `ListTasks`, which 1.0 alone has: a page of the caller's tasks, those with the newest status first. */
export async function listTasks(call: MethodCall): Promise<object> {
  const { engine, owner, codec, params, header_scope } = call;
  const { history_length, history_scope = header_scope, ...asked } = decodeList(params);
  const is_large = history_scope === 'context' && history_length !== 0;
  const query = is_large ? { ...asked, limit: Math.min(asked.limit, SMALL_PAGE) } : asked;
  const page = await engine.list(owner, { ...query, with_history: history_length !== 0 });
  const tailor = tailorOf(call);
  const scoped = await allInScope(call, page.tasks, { history_scope, history_length });
  const tasks = scoped.map((task) => tailor.task(presentSnapshot(task, history_length)));
  return encodePage({ ...page, tasks }, { query, encodeTask: (task) => codec.encodeTask(task) });
}
