import {
  anything,
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  oneof,
  record,
  string,
  tuple,
} from 'fast-check';
import { expect, it } from 'vitest';
import { runOfSpan, type SpanAttributes } from '../testing/spans.ts';
import * as tables from './attribute-tables.ts';

/** Every name in a table, and some that are in none. */
const names = Object.values(tables).flatMap(namesIn);
function namesIn(table: unknown): string[] {
  if (typeof table === 'string') return [table.endsWith('.') ? `${table}0.content` : table];
  if (table instanceof Set) return [...(table as Set<string>)].flatMap(namesIn);
  if (Array.isArray(table)) return table.flatMap(namesIn);
  return typeof table === 'object' && table !== null
    ? [...Object.keys(table), ...Object.values(table).flatMap(namesIn)]
    : [];
}
const name = oneof(
  constantFrom(...new Set(names)),
  constantFrom(
    'app.note',
    'content',
    'role',
    'message.content',
    'message.role',
    'content.x',
    'tool_calls',
    'error.type',
  ),
  constantFrom(
    'gen_ai.prompt.0.content.0',
    'gen_ai.prompt.1.message.role',
    'gen_ai.prompt.1.role',
    'llm.tools.0.x',
  ),
  constantFrom(
    'langsmith.metadata.note',
    'ai.telemetry.metadata.note',
    'langsmith.metadata.ls_provider',
    'exception.message',
  ),
  constantFrom(
    'retrieval.documents.0.page_content',
    'retrieval.documents.x',
    'gen_ai.request.tools',
    'exception.type',
  ),
);
/** A new text each time, so that it is found in its own place only. */
let count = 0;
const word = string({ minLength: 0, maxLength: 3 }).map((text) => {
  count += 1;
  return `<${count}${text.replaceAll(/[,\s]/g, '')}>`;
});
const message = record({ role: constantFrom('user', 'assistant', 'tool'), content: word });
const inParts = record({
  role: constantFrom('user', 'assistant', 'system'),
  parts: array(record({ type: constantFrom('text', 'tool_call_response', 'blob'), content: word })),
});
const json = oneof(
  word,
  array(word, { maxLength: 3 }),
  array(oneof(message, inParts), { maxLength: 3 }),
  dictionary(constantFrom('a', 'content', 'role', 'message', 'note', 'ls_provider', 'model', 'tools'), word),
  record({ message }),
  array(record({ 'event.name': constantFrom(...tables.message_events.keys(), 'other'), content: word })),
  anything({ maxDepth: 2, values: [word] }).filter(
    (value) => value !== undefined && JSON.stringify(value) !== undefined,
  ),
);
const value = oneof(
  word,
  json.map((one) => JSON.stringify(one)),
  json,
) as unknown as typeof word;
const attributes = array(tuple(name, value), { maxLength: 8 }).map(
  (entries) => Object.fromEntries(entries) as SpanAttributes,
);
const event = tuple(oneof(constantFrom(...tables.shown_events), constantFrom('other')), attributes);

/** The texts in a value, also in JSON within texts. */
function textsIn(one: unknown): string[] {
  return [...(JSON.stringify(one) ?? '').matchAll(/<\d+[^<>]*>/g)].map(([text]) => text.replaceAll('\\', ''));
}

it('when a span says anything in any form, then nothing is lost', async () => {
  await assert(
    asyncProperty(
      attributes,
      array(event, { maxLength: 4 }),
      constantFrom(0, 1, 2),
      async (said, events, code) => {
        const run = await runOfSpan({ attributes: said, events, code });
        const stored = new Set(textsIn(run));
        const missing = textsIn([said, events]).filter((text) => !stored.has(text));
        expect(missing).toEqual([]);
      },
    ),
    { numRuns: 1500 },
  );
});
