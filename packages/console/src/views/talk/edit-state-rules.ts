import { messagesIn } from '../../words/chat-message-rules.ts';
import { isObject, textAt } from '../../words/object-rules.ts';

/**
 * The fields of an edited state that differ: writing the others again would add to lists that grow. Messages are merged
 * by their ids, so one that is gone is removed by its id.
 */
export function changedValues(before: unknown, after: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(after)) throw new Error('The state must be an object, such as {"messages": []}.');
  const old = isObject(before) ? before : {};
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
  );
  if (changed.length === 0) throw new Error('Nothing was changed; edit a field first.');
  const values = Object.fromEntries(changed);
  return 'messages' in values ? { ...values, messages: messageChanges(old, after) } : values;
}

function messageChanges(before: unknown, after: unknown): readonly unknown[] {
  const [old, edited] = [messagesIn(before) ?? [], messagesIn(after) ?? []];
  const kept = new Set(edited.map((message) => textAt(message, 'id')));
  const same = new Set(old.map((message) => JSON.stringify(message)));
  return [
    ...old.flatMap((message) => {
      const id = textAt(message, 'id');
      return id === undefined || kept.has(id) ? [] : [{ type: 'remove', id, content: '' }];
    }),
    ...edited.filter((message) => !same.has(JSON.stringify(message))),
  ];
}
