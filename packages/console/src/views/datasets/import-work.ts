import { createClient } from '@roadstead/contracts/client';
import { observability } from '@roadstead/contracts/observability';
import { authorizedFetch, traces } from '../../api/clients.ts';
import { type FileHead, type FileKind, headOf, kindOf, type Part, recordEnds } from './import-rules.ts';

const HEAD_BYTES = 262_144;
const SCAN_BYTES = 1_048_576;
/** Below what one upload may hold, with room for the form around it. */
const PIECE_BYTES = 33_554_432;

/** Reads the beginning of a file: enough to show its columns and first rows, however long it is. */
export async function readHead(file: File): Promise<FileHead> {
  const kind = kindOf(file.name);
  if (kind === undefined) throw new Error('The name of the file must end in .csv, .jsonl or .ndjson.');
  const text = await file.slice(0, HEAD_BYTES).text();
  return headOf(text, { kind, is_whole: file.size <= HEAD_BYTES });
}

/** Cuts a file between its records; each piece of a CSV begins with the line of column names. */
async function* piecesOf(file: File, kind: FileKind): AsyncGenerator<Blob> {
  let [begin, end, header_end, is_quoted] = [0, 0, 0, false];
  const piece = () => {
    const own = file.slice(begin, end);
    return kind === 'csv' && begin > 0 ? new Blob([file.slice(0, header_end), own]) : own;
  };
  for (let at = 0; at < file.size; at += SCAN_BYTES) {
    if (file.size <= PIECE_BYTES) break;
    const bytes = new Uint8Array(await file.slice(at, at + SCAN_BYTES).arrayBuffer());
    const ends = recordEnds(bytes, { kind, is_quoted });
    ({ is_quoted } = ends);
    if (ends.last === -1) continue;
    if (header_end === 0) header_end = at + ends.first;
    if (at + ends.last - begin > PIECE_BYTES && end > begin) {
      yield piece();
      begin = end;
    }
    end = at + ends.last;
  }
  end = file.size;
  if (end > begin) yield piece();
}

/** Answers of uploads hold all that was sent; nobody reads them here. */
const uploads = createClient(observability, {
  base_url: location.origin,
  fetch: authorizedFetch,
  read: async (response) => {
    await response.body?.cancel();
  },
});

interface Import {
  readonly file: File;
  readonly kind: FileKind;
  /** The part of each column; empty where lines name their parts themselves. */
  readonly parts: ReadonlyMap<string, Part>;
  /** The dataset to add to; or the name of a new one. */
  readonly into: { readonly dataset_id: string } | { readonly name: string };
  readonly onProgress: (share: number) => void;
}

/** Sends a file piece by piece, so that it may be of any length; each piece is imported as a whole or not at all. */
export async function importFile({ file, kind, parts, into, onProgress }: Import): Promise<string> {
  let dataset_id = 'dataset_id' in into ? into.dataset_id : undefined;
  let sent_bytes = 0;
  for await (const piece of piecesOf(file, kind)) {
    const form = formOf({ piece, name: file.name, parts });
    try {
      if (dataset_id !== undefined) await uploads.uploadExamples({ params: { dataset_id }, raw: form });
      else {
        form.append('name', 'name' in into ? into.name : file.name);
        ({ id: dataset_id } = await traces.uploadDataset({ raw: form }));
      }
    } catch (error) {
      if (sent_bytes === 0) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const share = Math.round((sent_bytes / file.size) * 100);
      throw new Error(`The first ${share} % of the file were imported; the rest was refused: ${why}`, {
        cause: error,
      });
    }
    sent_bytes += piece.size;
    onProgress(Math.min(1, sent_bytes / file.size));
  }
  if (dataset_id === undefined) throw new Error('The file is empty.');
  return dataset_id;
}

const fields = { inputs: 'input_keys', outputs: 'output_keys', metadata: 'metadata_keys' } as const;

function formOf({ piece, name, parts }: { piece: Blob; name: string; parts: ReadonlyMap<string, Part> }) {
  const form = new FormData();
  for (const [column, part] of parts) if (part !== 'none') form.append(fields[part], column);
  form.append('file', piece, name);
  return form;
}
