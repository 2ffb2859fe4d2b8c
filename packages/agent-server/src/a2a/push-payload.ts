import { writeJson } from '../json/json-text.ts';
import type { OpenPush } from '../push/push-config.ts';
import type { Notification } from '../push/push-sender.ts';
import type { Task, TaskEvent } from '../tasks/task.ts';
import { tailorOf } from './output-modes.ts';
import { v03Codec } from './codecs/v03-codec.ts';
import { v10Codec } from './codecs/v10-codec.ts';

type WritePush = (push: OpenPush, task: Task, event: TaskEvent) => Promise<Notification | undefined>;

/** @param sendsA2ui whether the assistant with an id sends user interfaces */
export function pushWriter(sendsA2ui: (assistant_id: string) => Promise<boolean>): WritePush {
  return async (push, task, event) => {
    const tailor = tailorOf({ a2ui: await sendsA2ui(push.owner.assistant_id) });
    const left = tailor.event(event);
    return left && write(push, tailor.task(task), left);
  };
}

/**
 * The payload for an event: in 1.0 the event as a stream would show it; in 0.3, where receivers expect a task, the
 * present task, and only when its status changes.
 */
const write: WritePush = async ({ version }, task, event) => {
  if (version === '1.0')
    return {
      text: await writeJson(v10Codec.encodeEvent(task, event)),
      content_type: 'application/a2a+json',
      seq: event.seq,
      covers_to: event.seq,
    };
  if (event.kind !== 'status') return undefined;
  return {
    text: await writeJson(v03Codec.encodeTask(task)),
    content_type: 'application/json',
    seq: event.seq,
    covers_to: Math.max(task.seq, event.seq),
  };
};
