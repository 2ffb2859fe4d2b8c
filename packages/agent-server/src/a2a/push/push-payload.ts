import { writeJson } from '../../json-text.ts';
import type { OpenPush } from '../../push/push-config.ts';
import type { Notification } from '../../push/push-sender.ts';
import type { Task, TaskEvent } from '../../tasks/task.ts';
import { v03Codec } from '../v03-codec.ts';
import { v10Codec } from '../v10-codec.ts';

/**
 * An event as clients are told of it: in 1.0 as a stream would show it; in 0.3, where receivers expect a task, the task as
 * it is now, and only when its status changes.
 */
export async function writePush(
  { version }: OpenPush,
  task: Task,
  event: TaskEvent,
): Promise<Notification | undefined> {
  if (version === '1.0')
    return {
      text: await writeJson(v10Codec.encodeEvent(task, event)),
      content_type: 'application/a2a+json',
      seq: event.seq,
      tells_to: event.seq,
    };
  if (event.kind !== 'status') return undefined;
  return {
    text: await writeJson(v03Codec.encodeTask(task)),
    content_type: 'application/json',
    seq: event.seq,
    tells_to: Math.max(task.seq, event.seq),
  };
}
