import { z } from 'zod';

/**
 * The members that each request of a client must have, as far as the SDK answers a mistake in them with its
 * validator’s own words.
 */

const text = z.string({ error: 'must be a text' });
const object = z.looseObject({}, { error: 'must be an object' });
const texts = z.record(z.string(), text, { error: 'must be an object of texts' });
const list = z.looseObject({ cursor: text.optional() });
const named = z.looseObject({ name: text });

const REFERENCES = 'must be a prompt with its name, or a resource with its uri';
const reference = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('ref/prompt'), name: text }),
    z.looseObject({ type: z.literal('ref/resource'), uri: text }),
  ],
  { error: REFERENCES },
);

const methods: Readonly<Record<string, z.ZodType>> = {
  initialize: z.looseObject({
    protocolVersion: text,
    capabilities: object,
    clientInfo: z.looseObject({ name: text, version: text }, { error: 'must be an object' }),
  }),
  'tools/list': list,
  'prompts/list': list,
  'resources/list': list,
  'resources/templates/list': list,
  'tools/call': named.extend({ arguments: object.optional() }),
  'prompts/get': named.extend({ arguments: texts.optional() }),
  'resources/read': z.looseObject({ uri: text }),
  'completion/complete': z.looseObject({ ref: reference, argument: named.extend({ value: text }) }),
};

interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: -32_602; readonly message: string };
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Requests of the 2026 version name the protocol version each time; there is no `initialize` any more. */
export function isModern(message: unknown): boolean {
  const { params } = (message ?? {}) as { readonly params?: { readonly _meta?: unknown } };
  return typeof params?._meta === 'object' && params._meta !== null && VERSION_KEY in params._meta;
}

/** The answer to a request whose params are not those of its method; it names the first member that is wrong. */
export function paramsRefusal(message: unknown): Refusal | undefined {
  const { id, method, params = {} } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  if (typeof params !== 'object' || !Object.hasOwn(methods, method)) return undefined;
  if (method === 'initialize' && isModern(message)) return undefined;
  const [issue] = methods[method]?.safeParse(params).error?.issues ?? [];
  if (issue === undefined) return undefined;
  const sentence = `${['params', ...issue.path].join('.')} ${issue.message}.`;
  return { jsonrpc: '2.0', id, error: { code: -32_602, message: sentence } };
}
