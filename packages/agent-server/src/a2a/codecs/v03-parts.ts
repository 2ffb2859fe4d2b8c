import type { FileContent, Part } from '../../tasks/task.ts';
import { a2uiType, withTypeInMetadata } from '../extensions/a2ui.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import {
  optional,
  present,
  readBase64,
  readJsonObject,
  readObject,
  type Reader,
  readText,
  readUri,
} from '../rpc/params-codec.ts';

/** The parts of messages and artifacts in A2A 0.3.0, distinguished by `kind`. */

/** Marks a data part whose value is no object, which 0.3 requires; the official clients unwrap it. */
const WRAPPED = 'data_part_compat';

export const decodePart: Reader<Part> = (value, at) => {
  const fields = readObject(value, at);
  const metadata = optional(readJsonObject)(fields['metadata'], `${at}.metadata`);
  const more = present('metadata', metadata);
  switch (fields['kind']) {
    case 'text':
      return { kind: 'text', text: readText(fields['text'], `${at}.text`), ...more };
    case 'data': {
      const data = readJsonObject(fields['data'], `${at}.data`);
      const type = present('media_type', a2uiType(metadata?.['mimeType']));
      return { kind: 'data', data: metadata?.[WRAPPED] === true ? data['value'] : data, ...type, ...more };
    }
    case 'file':
      return { kind: 'file', ...decodeFile(fields['file'], `${at}.file`), ...more };
    default:
      throw fieldFault(`${at}.kind`, 'must be "text", "file" or "data"');
  }
};

function decodeFile(value: unknown, at: string): Pick<Part, 'name' | 'media_type'> & { file: FileContent } {
  const fields = readObject(value, at);
  const bytes = optional(readBase64)(fields['bytes'], `${at}.bytes`);
  const uri = optional(readUri)(fields['uri'], `${at}.uri`);
  if ((bytes === undefined) === (uri === undefined)) throw fieldFault(at, 'must hold either bytes or uri');
  return {
    file: bytes === undefined ? { uri: uri ?? '' } : { bytes },
    ...present('name', optional(readText)(fields['name'], `${at}.name`)),
    ...present('media_type', optional(readText)(fields['mimeType'], `${at}.mimeType`)),
  };
}

export function encodePart(part: Part): object {
  const metadata = withTypeInMetadata(part);
  const more = present('metadata', metadata);
  switch (part.kind) {
    case 'text':
      return { kind: 'text', text: part.text, ...more };
    case 'file': {
      const about = { ...present('name', part.name), ...present('mimeType', part.media_type) };
      return { kind: 'file', file: { ...part.file, ...about }, ...more };
    }
    case 'data':
      if (isPlainObject(part.data)) return { kind: 'data', data: part.data, ...more };
      return {
        kind: 'data',
        data: { value: part.data ?? null },
        metadata: { ...metadata, [WRAPPED]: true },
      };
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
