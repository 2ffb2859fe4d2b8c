import type { Part } from '../../tasks/task.ts';
import { isA2ui } from '../extensions/a2ui.ts';
import { present } from '../rpc/params-codec.ts';

/** Parts of a message as the content of a message of LangChain. Pure. */

type TextPart = Extract<Part, { kind: 'text' }>;
type FilePart = Extract<Part, { kind: 'file' }>;

/** Text and files of a message, in their order. */
export function contentBlocks(parts: readonly Part[]): readonly object[] {
  return parts.flatMap((part) => {
    if (part.kind === 'data') return isA2ui(part) ? textBlock({ text: JSON.stringify(part.data) }) : [];
    return part.kind === 'text' ? textBlock(part) : fileBlock(part);
  });
}

const textBlock = ({ text }: Pick<TextPart, 'text'>): object => ({ type: 'text', text });

const kinds = ['image', 'audio', 'video'] as const;

/**
 * A file as a standard content block, with the members of two generations of LangChain: `mimeType` beside `data` or
 * `url` of the present one, `source_type` and `mime_type` of the former one, which the packages of the models still
 * read.
 */
function fileBlock({ file, media_type, name }: FilePart): object {
  const type = kinds.find((kind) => media_type?.startsWith(`${kind}/`)) ?? 'file';
  // LangChain refuses bytes without a type.
  const mime_type = media_type ?? ('bytes' in file ? 'application/octet-stream' : undefined);
  return {
    type,
    ...('bytes' in file
      ? { source_type: 'base64', data: file.bytes }
      : { source_type: 'url', url: file.uri }),
    ...present('mime_type', mime_type),
    ...present('mimeType', mime_type),
    // Some models require a file's name.
    ...(name === undefined ? {} : { metadata: { filename: name } }),
  };
}
