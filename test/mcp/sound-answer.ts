import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { Answer } from './mcp-fixture.ts';
import type { ListedTool, Shape } from './shapes.ts';

/** No answer is longer, to any question. */
const MAX_CHARS = 30_000;
const MAX_LINKS = 10;

const validator = new AjvJsonSchemaValidator();

export type Judge = (shape: Shape, answer: Answer) => string[];

/** What is wrong with answers of these tools; nothing is as it should be. */
export function judgeOf(tools: readonly ListedTool[]): Judge {
  const schemas = new Map(
    tools.map(({ name, outputSchema }) => [name, validator.getValidator(outputSchema as object)] as const),
  );
  return (shape, answer) => {
    const validated = schemas.get(shape.tool)?.(answer.structuredContent);
    return [
      ...(validated?.valid === true
        ? []
        : [`is not what its schema says: ${validated?.errorMessage ?? 'no schema'}`]),
      ...(answer.isError === true ? faultsOfError(answer) : faultsOfSuccess(answer)),
      ...faultsOfRefusal(shape, answer),
    ];
  };
}

function faultsOfSuccess({ content, structuredContent }: Answer): string[] {
  const [mirror, ...links] = content ?? [];
  const text = mirror?.text ?? '';
  return [
    ...(text === JSON.stringify(structuredContent) ? [] : ['its text is not what its structure is']),
    ...(text.length <= MAX_CHARS ? [] : [`is ${text.length} characters long`]),
    ...(links.every(({ type }) => type === 'resource_link') ? [] : ['has content that is no link']),
    ...(links.length <= MAX_LINKS ? [] : [`has ${links.length} links`]),
    ...(structuredContent !== undefined && 'error' in structuredContent ? ['has an error and is none'] : []),
  ];
}

interface ToolError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

function errorOf({ structuredContent }: Answer): ToolError {
  return structuredContent?.['error'] ?? {};
}

function faultsOfError(answer: Answer): string[] {
  const { code, message, hint } = errorOf(answer);
  const text = answer.content?.[0]?.text ?? '';
  const isSaid = (word: unknown) => typeof word === 'string' && word !== '' && text.includes(word);
  return [
    ...(typeof code === 'string' && /^[a-z_]+$/.test(code) ? [] : ['is an error without a code']),
    ...(isSaid(message) && isSaid(hint)
      ? []
      : ['is an error that does not say what is wrong and what to do']),
    ...(code === 'internal' ? ['is a bug of the server'] : []),
    ...(text.length <= MAX_CHARS ? [] : [`is ${text.length} characters long`]),
  ];
}

function faultsOfRefusal({ refused }: Shape, answer: Answer): string[] {
  if (refused === undefined) return [];
  const { code, message } = errorOf(answer);
  return code === 'invalid_input' && String(message).includes(refused)
    ? []
    : [`is not refused for ${refused}`];
}
