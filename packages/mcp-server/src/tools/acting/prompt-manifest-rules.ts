import { Problem } from '@roadstead/kit';
import { counted, quoted } from './acting-tool.ts';

/** Writes prompts in LangChain's format from a model's inputs. */

type Format = 'f-string' | 'mustache';
type Message = Readonly<Record<string, unknown>>;

export interface PromptInput {
  readonly messages?: readonly Message[] | undefined;
  readonly template?: string | undefined;
  readonly template_format?: Format | undefined;
  readonly manifest?: Readonly<Record<string, unknown>> | undefined;
}

const messageClasses: Readonly<Record<string, string>> = {
  system: 'SystemMessagePromptTemplate',
  user: 'HumanMessagePromptTemplate',
  human: 'HumanMessagePromptTemplate',
  assistant: 'AIMessagePromptTemplate',
  ai: 'AIMessagePromptTemplate',
};

/** @throws Problem that names the fault */
export function manifestOf({
  messages,
  template,
  template_format = 'f-string',
  manifest,
}: PromptInput): unknown {
  const given = [messages, template, manifest].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new Problem('invalid', 'Give one of messages, template and manifest.', {
      hint: 'messages for a chat, template for a single text.',
    });
  if (manifest !== undefined) return manifest;
  if (template !== undefined) return textPrompt('template', template, template_format);
  const parts = (messages ?? []).map((message, at) =>
    messagePrompt(message, `messages[${at}]`, template_format),
  );
  return written(['prompts', 'chat', 'ChatPromptTemplate'], {
    input_variables: [...new Set(parts.flatMap(({ variables }) => variables))],
    messages: parts.map((part) => part.prompt),
    template_format,
  });
}

/** A description for the question to the user. */
export function whatIsIn({ messages, template }: PromptInput): string {
  if (messages !== undefined) {
    const first = messages[0]?.['content'];
    return `of ${counted(messages.length, 'message')}, which begins ${quoted(first)}`;
  }
  return template === undefined ? 'as the manifest has it' : `which begins ${quoted(template)}`;
}

function messagePrompt({ role, content, ...others }: Message, at: string, format: Format) {
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new Problem('invalid', `${at} has a member that is not known: it has role and content.`);
  if (typeof role !== 'string' || typeof content !== 'string')
    throw new Problem('invalid', `${at} must have the texts role and content.`);
  if (role === 'placeholder') {
    const [, name] = /^\{?\s*(\w+)\s*\}?$/.exec(content) ?? [];
    if (name === undefined) throw new Problem('invalid', `${at}.content must be the name of a variable.`);
    const prompt = written(['prompts', 'chat', 'MessagesPlaceholder'], { variable_name: name });
    return { prompt, variables: [name] };
  }
  const called = messageClasses[role];
  if (called === undefined)
    throw new Problem('invalid', `${at}.role must be system, user, assistant or placeholder.`);
  return {
    prompt: written(['prompts', 'chat', called], { prompt: textPrompt(`${at}.content`, content, format) }),
    variables: variablesIn(`${at}.content`, content, format),
  };
}

const textPrompt = (at: string, template: string, template_format: Format) =>
  written(['prompts', 'prompt', 'PromptTemplate'], {
    input_variables: variablesIn(at, template, template_format),
    template_format,
    template,
  });

const written = (path: readonly string[], kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', ...path],
  kwargs,
});

function variablesIn(at: string, template: string, format: Format): string[] {
  return format === 'f-string' ? braced(at, template) : mustached(template);
}

/** `{name}` is a variable; `{{` and `}}` are braces. */
function braced(at: string, template: string): string[] {
  const names: string[] = [];
  for (const [found, name] of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    if (found === '{{' || found === '}}') continue;
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
      throw new Problem('invalid', `${at} has a brace that begins or ends no variable.`, {
        hint: 'Write {{ and }} for braces themselves, or take template_format mustache.',
      });
    names.push(name);
  }
  return [...new Set(names)];
}

const mustached = (template: string) => [
  ...new Set(
    [...template.matchAll(/\{\{\{?\s*(?:[#^&]\s*)?([A-Za-z_]\w*)(?:\.[\w.]*)?\s*\}?\}\}/g)].map(
      ([, name]) => name ?? '',
    ),
  ),
];
