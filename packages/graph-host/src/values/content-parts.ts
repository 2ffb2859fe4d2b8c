import type { PlainPart } from '@roadstead/contracts/host';

/**
 * The content of a message as parts: content blocks of LangChain, of both its generations, and those of OpenAI and
 * Anthropic that graphs hand on as they are. Thoughts, calls of tools and what is not known here are no parts. Pure.
 */
export function partsOf(content: unknown): PlainPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const part = typeof block === 'string' ? { type: 'text', text: block } : block;
    return typeof part === 'object' && part !== null ? (partOf(part) ?? []) : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;

function partOf(block: object): PlainPart | undefined {
  const { type, text, ...rest } = block as Fields;
  switch (type) {
    case undefined:
    case 'text':
    case 'text_delta':
      return typeof text === 'string' ? { kind: 'text', text } : undefined;
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
    case 'text-plain':
      return filePart(rest);
    case 'image_url':
      return filePart({ url: fieldOf(rest['image_url'], 'url') ?? rest['image_url'] });
    case 'data':
      return 'data' in rest ? dataPart(rest) : undefined;
    case 'non_standard':
      return 'value' in rest ? { kind: 'data', data: rest['value'] } : undefined;
    default:
      return undefined;
  }
}

function dataPart({ data, mimeType, mime_type, metadata }: Fields): PlainPart {
  const type = firstText(mimeType, mime_type, fieldOf(metadata, 'mimeType'));
  return { kind: 'data', data, ...(type === undefined ? {} : { media_type: type }) };
}

/** Each generation has names of its own for the same. */
function filePart(block: Fields): PlainPart | undefined {
  // Anthropic and OpenAI put it one level deeper.
  const at = {
    ...block,
    ...fieldsOf(block['source']),
    ...fieldsOf(block['file']),
    ...fieldsOf(block['input_audio']),
  };
  const bytes = bytesOf(at['data'] ?? at['file_data']);
  const file = bytes ?? addressOf(at['url'] ?? at['file_url']);
  if (file === undefined) return undefined;
  const { media_type, ...place } = file;
  const type = firstText(at['mimeType'], at['mime_type'], at['media_type'], media_type);
  const metadata = fieldsOf(at['metadata']);
  const name = firstText(
    at['filename'],
    at['name'],
    metadata['filename'],
    metadata['name'],
    metadata['title'],
  );
  return {
    kind: 'file',
    file: place,
    ...(type === undefined ? {} : { media_type: type }),
    ...(name === undefined ? {} : { name }),
  };
}

function bytesOf(data: unknown): { bytes: string; media_type?: string } | undefined {
  if (data instanceof Uint8Array) return { bytes: Buffer.from(data).toString('base64') };
  if (typeof data !== 'string' || data === '') return undefined;
  return fromDataUrl(data) ?? { bytes: data };
}

function addressOf(
  url: unknown,
): { bytes: string; media_type?: string } | { uri: string; media_type?: string } | undefined {
  if (typeof url !== 'string' || url === '') return undefined;
  return fromDataUrl(url) ?? { uri: url };
}

/** Only base64: other ways of writing one are not used for files. */
function fromDataUrl(text: string): { bytes: string; media_type?: string } | undefined {
  const comma = text.startsWith('data:') ? text.indexOf(';base64,') : -1;
  if (comma < 0) return undefined;
  const media_type = text.slice('data:'.length, comma);
  return { bytes: text.slice(comma + ';base64,'.length), ...(media_type === '' ? {} : { media_type }) };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const fieldOf = (value: unknown, name: string): unknown => fieldsOf(value)[name];
const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');
