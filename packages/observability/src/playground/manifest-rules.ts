import { PlaygroundMessage, type PlaygroundParameters } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { list, optionalText, record } from '../models/loose-json-rules.ts';
import { messageOf, plainMessage } from './message-rules.ts';
import type { Template, TemplateMessage, TemplatePart, TextFormat } from './template.ts';

/** Prompts as LangChain's `dumps` writes them, as templates of messages. */

export interface PromptTemplate {
  readonly template: Template;
  /** The form that the prompt itself asks of the answer. */
  readonly response_format: PlaygroundParameters['response_format'];
}

const classOf = (value: unknown): string => String(list(record(value)['id']).at(-1));
const kwargsOf = (value: unknown) => record(record(value)['kwargs']);

/** @throws Problem for what holds no messages. */
export function templateOf(manifest: unknown): PromptTemplate {
  const name = classOf(manifest);
  const kwargs = kwargsOf(manifest);
  if (name === 'PromptTemplate')
    return {
      template: [{ role: 'user', parts: [{ type: 'text', ...textOf(manifest) }] }],
      response_format: undefined,
    };
  if (!Array.isArray(kwargs['messages']))
    throw new Problem('invalid', 'The prompt holds no messages, so no model can be called with it.');
  const schema = kwargs['schema_'] ?? kwargs['schema'];
  const { title } = record(schema);
  return {
    template: kwargs['messages'].map(entryOf),
    response_format:
      name === 'StructuredPrompt' && schema !== undefined
        ? {
            type: 'json_schema',
            json_schema: { name: (optionalText(title) ?? 'answer').slice(0, 64), schema: record(schema) },
          }
        : undefined,
  };
}

const templated: Readonly<Record<string, TemplateMessage['role']>> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
};

function entryOf(given: unknown): Template[number] {
  const name = classOf(given);
  const { variable_name, optional, prompt } = kwargsOf(given);
  if (name === 'MessagesPlaceholder' && typeof variable_name === 'string')
    return { placeholder: variable_name, is_optional: optional === true };
  const role = templated[name];
  if (role !== undefined)
    return { role, parts: Array.isArray(prompt) ? prompt.map(partOf) : [partOf(prompt)] };
  const parsed = PlaygroundMessage.safeParse(plainMessage(given));
  if (!parsed.success)
    throw new Problem('invalid', 'The prompt holds a message of a kind that is not known here.');
  return messageOf(parsed.data, { format: 'none', at: ['prompt'] });
}

function partOf(given: unknown): TemplatePart {
  if (classOf(given) !== 'ImagePromptTemplate') return { type: 'text', ...textOf(given) };
  const { template, template_format } = kwargsOf(given);
  const url = optionalText(record(template)['url']) ?? optionalText(template) ?? '';
  return { type: 'image', text: url, format: formatOf(template_format) };
}

function textOf(given: unknown) {
  const { template, template_format } = kwargsOf(given);
  if (typeof template !== 'string')
    throw new Problem('invalid', 'The prompt holds a template without a text.');
  return { text: template, format: formatOf(template_format) };
}

function formatOf(given: unknown): TextFormat {
  if (given === undefined || given === null || given === 'f-string') return 'f-string';
  if (given === 'mustache') return 'mustache';
  throw new Problem('invalid', 'The prompt is written in a template format that is not filled here.', {
    hint: 'Use f-string or mustache.',
  });
}
