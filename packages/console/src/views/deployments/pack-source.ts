import { bytes as sizeWords } from '../../words/number-rules.ts';
import { padding, TAR_END, tarHeader, whyLeftOut } from './tar-rules.ts';

/** Packs what somebody dropped or chose as the archive that a deployment is made of. */

export interface PackedSource {
  readonly archive: Blob;
  readonly name: string;
  /** Undefined for an archive that was packed elsewhere. */
  readonly files: number | undefined;
  /** Paths of what was left out, with the reason. */
  readonly left_out: readonly string[];
}

interface SourceFile {
  readonly path: string;
  readonly file: File;
}

interface SourceFolder {
  readonly name: string;
  readonly files: SourceFile[];
  readonly left_out: string[];
}

const MOST_BYTES = 209_715_200;
const MOST_FILES = 20_000;

/** What was dropped: one folder, or one archive. */
export async function packDropped(data: DataTransfer): Promise<PackedSource> {
  // The list is empty as soon as anything is awaited.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = [...data.files];
  const [folder] = entries.filter((entry) => entry.isDirectory);
  if (folder === undefined) return packFile(files[0]);
  const found: SourceFolder = { name: folder.name, files: [], left_out: [] };
  await collect(found, folder as FileSystemDirectoryEntry, '');
  return packFolder(found);
}

/** What was chosen as a folder: the browser gives all of its files, with their paths. */
export function packChosen(chosen: readonly File[]): Promise<PackedSource> {
  const name = chosen[0]?.webkitRelativePath.split('/')[0] ?? 'source';
  const found: SourceFolder = { name, files: [], left_out: [] };
  const left = new Map<string, string>();
  for (const file of chosen) {
    const parts = file.webkitRelativePath.split('/').slice(1);
    const end = parts.findIndex((part) => whyLeftOut(part) !== undefined);
    if (end === -1) found.files.push({ path: parts.join('/'), file });
    else left.set(parts.slice(0, end + 1).join('/'), whyLeftOut(parts[end] ?? '') ?? '');
  }
  found.left_out.push(...[...left].flatMap(([path, why]) => (why === '' ? [] : [`${path}: ${why}`])));
  return packFolder(found);
}

export async function packFile(file: File | undefined): Promise<PackedSource> {
  if (file === undefined) throw new Error('Drop a folder, or a .tar.gz of one.');
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== 0x1f || start[1] !== 0x8b)
    throw new Error(`${file.name} is no .tar.gz; drop a folder, or an archive that tar and gzip made.`);
  return checked({ archive: file, name: file.name, files: undefined, left_out: [] });
}

async function packFolder({ name, files, left_out }: SourceFolder): Promise<PackedSource> {
  if (files.length === 0) throw new Error(`${name} holds nothing to deploy.`);
  const sorted = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const stream = streamOf(tarOf(sorted)).pipeThrough(new CompressionStream('gzip'));
  const archive = await new Response(stream).blob();
  return checked({ archive, name, files: files.length, left_out });
}

async function* tarOf(files: readonly SourceFile[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const { path, file } of files) {
    yield tarHeader({ path, size: file.size, mtime_s: file.lastModified / 1000 });
    for await (const chunk of chunksOf(file)) yield chunk;
    yield padding(file.size);
  }
  yield TAR_END;
}

/** Some browsers have no `ReadableStream.from`. */
function streamOf(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function checked(packed: PackedSource): PackedSource {
  if (packed.archive.size > MOST_BYTES)
    throw new Error(
      `The packed source has ${sizeWords(packed.archive.size)}; ${sizeWords(MOST_BYTES)} are allowed. Take out what isn't needed.`,
    );
  return packed;
}

async function collect(found: SourceFolder, folder: FileSystemDirectoryEntry, base: string): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    const path = base + entry.name;
    const why = whyLeftOut(entry.name);
    if (why === '') continue;
    if (why !== undefined) found.left_out.push(`${path}: ${why}`);
    else if (entry.isDirectory) await collect(found, entry as FileSystemDirectoryEntry, `${path}/`);
    else found.files.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    if (found.files.length > MOST_FILES)
      throw new Error(`${found.name} has more than ${MOST_FILES} files; deploy it by the command line.`);
  }
}

/** A reader gives a hundred at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((done, fail) => {
    entry.file(done, fail);
  });
