import { messagesIn } from '@roadstead/contracts/messages';
import {
  answers,
  conversation,
  inputs,
  instructions,
  message_logs,
  outputs,
  type Side,
} from './attribute-tables.ts';
import { nestedOf } from './nesting-rules.ts';
import { documentsOf } from './span-document-rules.ts';
import {
  type Free,
  isObject,
  type ReadEvent,
  type Sides,
  sidesOfAgent,
  sidesOfCall,
  type SpanMessage,
  spokenIn,
  spokenInLog,
  withRead,
} from './span-message-rules.ts';
import { type AttributeReader, isSame, jsonOf, type JsonText } from './span-reader.ts';

/**
 * The inputs and outputs of a span, as JSON texts of objects. A span may hold them in several forms, of which one is
 * shown: JSON stays as it was written, and what another form adds stays in attributes and events.
 */

export interface SpanContent {
  readonly attributes: AttributeReader;
  readonly events: readonly ReadEvent[];
}

export interface Payloads {
  readonly inputs: string | undefined;
  readonly outputs: string | undefined;
}

type SideName = keyof Sides;

/** One form of a side. */
interface Form {
  readonly messages?: JsonText;
  readonly whole?: JsonText;
  /** Called where this form is shown. */
  readonly take: () => void;
}

export function payloadsOf(content: SpanContent): Payloads {
  const told = toldIn(content);
  return {
    inputs: payloadOf(
      content,
      inputs,
      formOf(
        content,
        inputs,
        told.map((one) => one.inputs),
      ),
    ),
    outputs:
      documentsOf(content.attributes) ??
      payloadOf(
        content,
        outputs,
        formOf(
          content,
          outputs,
          told.map((one) => one.outputs),
        ),
      ),
  };
}

/** The forms that list message by message: events, a conversation, and logs. */
function toldIn({
  attributes,
  events,
}: SpanContent): readonly Readonly<Record<SideName, Form | undefined>>[] {
  const { call, agent } = message_logs;
  const log = (name: string) =>
    bothSides(attributes, name, (take) => spokenInLog(attributes.meaning(name), take));
  return [
    formsOf(sidesOfCall(events.flatMap(spokenIn))),
    formsOf(
      sidesOfAgent(
        bothSides(attributes, conversation, (take) =>
          partedConversation(attributes)?.map((message) => ({ message, is_choice: false, take })),
        ),
      ),
    ),
    formsOf(sidesOfAgent(log(agent))),
    formsOf(sidesOfCall(log(call))),
  ];
}

/** A longer conversation is shown as it was written. */
const MAX_PARTED_CHARS = 1_048_576;

function partedConversation(attributes: AttributeReader): readonly Free[] | undefined {
  const all = attributes.json(conversation);
  if (all === undefined || all.text.length > MAX_PARTED_CHARS) return undefined;
  return Array.isArray(all.value) && all.value.every(isObject) ? all.value : undefined;
}

/** An attribute of which both sides show a part counts as shown once all of its messages are. */
function bothSides(
  attributes: AttributeReader,
  name: string,
  read: (take: () => void) => SpanMessage[] | undefined,
): SpanMessage[] {
  const open = { messages: 0 };
  const spoken = read(() => {
    open.messages -= 1;
    if (open.messages === 0) attributes.take(name);
  });
  open.messages = spoken?.length ?? 0;
  return spoken ?? [];
}

function formsOf(sides: Sides): Readonly<Record<SideName, Form | undefined>> {
  return { inputs: spokenForm(sides.inputs), outputs: spokenForm(sides.outputs) };
}

function spokenForm(spoken: readonly SpanMessage[]): Form | undefined {
  if (spoken.length === 0) return undefined;
  return {
    messages: jsonOf(spoken.map(({ message }) => message)),
    take: () => {
      for (const { take } of spoken) take();
    },
  };
}

/** The first of its forms with content, or else the first that is present. */
function formOf(content: SpanContent, table: Side, told: readonly (Form | undefined)[]): Form | undefined {
  return (
    firstForm(content, table, { told, isThere: (one) => one !== undefined && !isEmpty(one.value) }) ??
    firstForm(content, table, { told, isThere: (one) => one !== undefined })
  );
}

/** Exporters write missing values as one of these. */
const isEmpty = (value: unknown): boolean =>
  ['', 'null', '""'].includes(typeof value === 'string' ? value.trim() : 'else') ||
  (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

interface FormSources {
  readonly told: readonly (Form | undefined)[];
  readonly isThere: (value: JsonText | undefined) => boolean;
}

function firstForm(
  { attributes, events }: SpanContent,
  table: Side,
  { told: [by_events, in_conversation, ...in_logs], isThere }: FormSources,
): Form | undefined {
  const [event_name, event_attribute] = table.event;
  const event = events.find(
    ({ event: { name }, reader }) => name === event_name && isThere(reader.json(event_attribute)),
  );
  const attribute = (name: string | undefined, as: 'messages' | 'whole') =>
    name === undefined ? undefined : formOfAttribute(attributes, name, as);
  const found = (names: readonly string[]) => names.find((name) => isThere(attributes.json(name)));
  return (
    (event && formOfAttribute(event.reader, event_attribute, 'whole')) ??
    by_events ??
    attribute(found(table.message_lists), 'messages') ??
    in_conversation ??
    (table === outputs && partedConversation(attributes) === undefined
      ? attribute(found([conversation]), 'messages')
      : undefined) ??
    spreadForm(attributes, table) ??
    attribute(found(table.values), 'whole') ??
    (table === outputs ? answerForm(attributes) : undefined) ??
    attribute(found(table.other_values), 'whole') ??
    in_logs.find((one) => one !== undefined)
  );
}

function formOfAttribute(reader: AttributeReader, name: string, as: 'messages' | 'whole'): Form | undefined {
  const value = reader.json(name);
  return value && { [as]: value, take: () => reader.take(name) };
}

function spreadForm(attributes: AttributeReader, table: Side): Form | undefined {
  const prefix = table.message_prefixes.find((one) => attributes.under(one).length > 0);
  if (prefix === undefined) return undefined;
  const entries = attributes.under(prefix);
  const { value, excluded } = nestedOf(entries);
  const read = Array.isArray(value)
    ? value.map((one: unknown) => (isObject(one) ? withRead(one) : one))
    : value;
  const shown = entries.filter(([path]) => !excluded.has(path)).map(([path]) => prefix + path);
  return { messages: jsonOf(read), take: () => attributes.take(...shown) };
}

/** The text of a model and its tool calls are one message. */
function answerForm(attributes: AttributeReader): Form | undefined {
  const calls = attributes.json(answers.calls);
  if (!Array.isArray(calls?.value))
    return (
      formOfAttribute(attributes, answers.text, 'whole') ??
      formOfAttribute(attributes, answers.calls, 'whole')
    );
  // The value is a text even where it looks like JSON.
  const content = jsonOf(attributes.peek(answers.text) ?? '');
  return {
    messages: {
      text: `[{"role":"assistant","content":${content.text},"tool_calls":${calls.text}}]`,
      value: [{ role: 'assistant', content: content.value, tool_calls: calls.value }],
    },
    take: () => attributes.take(answers.text, answers.calls),
  };
}

function payloadOf({ attributes }: SpanContent, table: Side, form: Form | undefined): string | undefined {
  const told = table === inputs && form?.whole === undefined ? instructionsOf(attributes) : undefined;
  if (told !== undefined) attributes.take(instructions);
  if (form === undefined) return told === undefined ? undefined : `{"messages":[${told.text}]}`;
  form.take();
  const payload =
    form.messages === undefined ? objectOf(form.whole, table.name) : withMessages(form.messages, told);
  takeWhatIsShown(attributes, table, { form, payload });
  return payload.text;
}

/** An object stays as it is. */
function objectOf(whole: JsonText | undefined, name: string): JsonText {
  if (whole !== undefined && isObject(whole.value)) return whole;
  return { text: `{"${name}":${whole?.text ?? 'null'}}`, value: { [name]: whole?.value } };
}

function withMessages(messages: JsonText, told: JsonText | undefined): JsonText {
  const list = told === undefined || isToldIn(messages.value, told) ? messages.text : listed(messages, told);
  return { text: `{"messages":${list}}`, value: { messages: messages.value } };
}

function listed({ text, value }: JsonText, told: JsonText): string {
  if (!Array.isArray(value)) return `[${told.text},${text}]`;
  return value.length === 0 ? `[${told.text}]` : `[${told.text},${text.trimStart().slice(1)}`;
}

const firstOf = (messages: unknown) => [...firstTwo(messagesIn(messages, 'inputs') ?? [])][0];

function isToldIn(messages: unknown, told: JsonText): boolean {
  const first = firstOf(messages);
  return first?.role === 'system' && isSame(jsonOf(first.content), jsonOf(firstOf([told.value])?.content));
}

/** The instructions as messages, without the brackets around them. */
function instructionsOf(attributes: AttributeReader): JsonText | undefined {
  const told = attributes.json(instructions);
  if (told === undefined) return undefined;
  const { text, value } = told;
  const isMessage = (one: unknown) => isObject(one) && typeof one['role'] === 'string';
  if (isMessage(value)) return told;
  if (Array.isArray(value) && value.length > 0 && value.every(isMessage))
    return { text: text.trim().slice(1, -1), value: value[0] };
  const [name, said] = Array.isArray(value)
    ? ['parts', text]
    : isObject(value)
      ? ['parts', `[${text}]`]
      : ['content', text];
  const parts = Array.isArray(value) ? value : [value];
  return {
    text: `{"role":"system","${name}":${said}}`,
    value: { role: 'system', ...(name === 'parts' ? { parts } : { content: value }) },
  };
}

/** Another form counts as shown where it equals the whole payload, or the content of its only message. */
function takeWhatIsShown(
  attributes: AttributeReader,
  table: Side,
  { form, payload }: { readonly form: Form; readonly payload: JsonText },
): void {
  const messages = form.messages && messagesIn(form.messages.value, table === inputs ? 'inputs' : 'outputs');
  const [only, ...others] = [...firstTwo(messages ?? [])];
  const content = only !== undefined && others.length === 0 ? jsonOf(only.content) : undefined;
  attributes.takeSame(
    [
      ...table.message_lists,
      ...table.values,
      ...table.other_values,
      ...(table === outputs ? [answers.text] : []),
    ],
    form.messages,
    form.whole,
    payload,
    content,
  );
}

function* firstTwo<T>(items: Iterable<T>): Generator<T> {
  let left = 2;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}
