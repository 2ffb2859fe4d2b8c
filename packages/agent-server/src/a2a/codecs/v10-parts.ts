import type { Part } from '../../tasks/task.ts';
import { a2uiType, withTypeInMetadata } from '../extensions/a2ui.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import {
  type Fields,
  optional,
  present,
  readBase64,
  readJsonObject,
  readJsonValue,
  readObject,
  type Reader,
  readText,
  readUri,
} from '../rpc/params-codec.ts';
import { protoNames } from '../rpc/proto-names.ts';

/** The parts of messages and artifacts in A2A 1.0, distinguished by the member that holds the content. */

const contents = ['text', 'data', 'raw', 'url'] as const;

export const decodePart: Reader<Part> = (value, at) => {
  const fields = readObject(value, at);
  const content = contentOf(fields, at);
  const field = `${at}.${content}`;
  const more = aboutOf(fields, at);
  switch (content) {
    case 'text':
      return { kind: 'text', text: readText(fields['text'], field), ...more };
    case 'data':
      return { kind: 'data', data: readJsonValue(fields['data'], field), ...more, ...a2uiOf(more) };
    case 'raw':
      return { kind: 'file', file: { bytes: readBase64(fields['raw'], field) }, ...more };
    case 'url':
      return { kind: 'file', file: { uri: readUri(fields['url'], field) }, ...more };
  }
};

const a2uiOf = ({ media_type, metadata }: Pick<Part, 'media_type' | 'metadata'>) =>
  present('media_type', a2uiType(media_type, metadata?.['mimeType']));

/** ProtoJSON may write an unset string as an empty one, and a field by its name in the schema. */
function aboutOf(fields: Fields, at: string): Pick<Part, 'name' | 'media_type' | 'metadata'> {
  const said = (value: unknown, field: string) => optional(readText)(value, `${at}.${field}`) || undefined;
  return {
    ...present('name', said(fields['filename'], 'filename')),
    ...present('media_type', said(fields['mediaType'] ?? fields['media_type'], 'mediaType')),
    ...present('metadata', optional(readJsonObject)(fields['metadata'], `${at}.metadata`)),
  };
}

/**
 * Finds which content a part holds; null counts as a value for `data` only, and only where there is no other content.
 */
function contentOf(fields: Fields, at: string): (typeof contents)[number] {
  const held = contents.filter((name) => fields[name] !== undefined && fields[name] !== null);
  const [content = fields['data'] === null ? 'data' : undefined] = held;
  if (content === undefined || held.length > 1)
    throw fieldFault(at, 'must hold exactly one of text, data, raw and url');
  return content;
}

export function encodePart(part: Part): object {
  const about = {
    ...present('filename', part.name),
    ...present('mediaType', part.media_type),
    ...present('metadata', withTypeInMetadata(part)),
  };
  return { ...encodeContent(part), ...about };
}

function encodeContent(part: Part): object {
  if (part.kind === 'text') return { text: part.text };
  if (part.kind === 'data') return { data: (part.ours === true ? protoNames(part.data) : part.data) ?? null };
  return 'bytes' in part.file ? { raw: part.file.bytes } : { url: part.file.uri };
}
