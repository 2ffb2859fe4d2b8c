import type { MethodCall } from './method-call.ts';
import { presentSnapshot } from './presentation-rules.ts';
import { decodeList, encodePage } from './list-codec.ts';

/** `ListTasks`, which 1.0 alone has: a page of the caller's tasks, those with the newest status first. */
export async function listTasks({ engine, owner, codec, params }: MethodCall): Promise<object> {
  const { history_length, ...query } = decodeList(params);
  const page = await engine.list(owner, { ...query, with_history: history_length !== 0 });
  const tasks = page.tasks.map((task) => presentSnapshot(task, history_length));
  return encodePage({ ...page, tasks }, { query, encodeTask: (task) => codec.encodeTask(task) });
}
