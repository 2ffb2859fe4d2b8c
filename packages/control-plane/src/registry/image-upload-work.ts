import type { ByteRange, StoredBlob } from '@roadstead/blobs';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { receiveBlob } from '../blobs/blob-receipt-work.ts';
import { keepBlob } from '../blobs/stored-blob-store.ts';
import type { Context } from '../context/context.ts';
import { algorithmOf } from './digest-rules.ts';
import { HashedBytes } from './hashed-bytes.ts';
import { noRepository } from './image-access.ts';
import type { Repository } from './image-name-rules.ts';
import { KeptRoom } from './image-room.ts';
import { lengthOf, rangeOf } from './range-rules.ts';
import {
  type BlobRow,
  type BlobSearch,
  findBlobWithin,
  holdRepositories,
  insertBlob,
} from './repository-store.ts';
import { spaceOf } from './room-rules.ts';
import { countBlob } from './room-store.ts';
import {
  countPieces,
  deleteUpload,
  findUpload,
  insertPiece,
  insertUpload,
  listPieces,
  type PieceRow,
  type UploadRow,
} from './upload-store.ts';

/**
 * Layers as they come in. Each piece is a blob of its own, so an upload goes on after its last whole piece, also after a restart. A
 * layer of one piece is that piece: nothing is copied.
 */

/** Each piece is a row and a blob. */
const MAX_PIECES = 10_000;
type Bytes = AsyncIterable<Uint8Array>;

export async function beginUpload({ db }: Pick<Context, 'db'>, at: Repository): Promise<UploadRow> {
  const id = uuidv7();
  await db.transaction(async (tx) => {
    await holdOrRefuse(tx, at);
    if (!(await insertUpload(tx, id, at))) throw tooManyUploads();
  });
  return { id, size: 0 };
}

export async function readUpload(
  { db }: Pick<Context, 'db'>,
  { at, id }: { readonly at: Repository; readonly id: string },
): Promise<UploadRow> {
  const found = await findUpload(db, id, at);
  if (found === undefined)
    throw new Problem('not_found', 'This upload has ended, was given up, or never began.', {
      code: 'BLOB_UPLOAD_UNKNOWN',
      hint: 'Begin a new one.',
    });
  return found;
}

/** What comes with a request. */
export interface IncomingBytes {
  readonly bytes: Bytes;
  /** How many there are, where its client says so. */
  readonly expected: number | undefined;
}

interface Piece extends IncomingBytes {
  readonly at: Repository;
  readonly upload: UploadRow;
  /** Where its client says that it lies. */
  readonly range: ByteRange | undefined;
}

/** @throws Problem `out_of_range` for a piece that is not the next one */
export async function appendPiece(
  context: Context,
  { at, upload, range, bytes, expected }: Piece,
): Promise<UploadRow> {
  if (range !== undefined && range.first !== upload.size) throw notNext(upload);
  if ((await countPieces(context.db, upload.id)) >= MAX_PIECES)
    throw new Problem('invalid', `An upload has ${MAX_PIECES} pieces at most.`, {
      code: 'BLOB_UPLOAD_INVALID',
    });
  const { workspace_id } = at;
  await using room = await KeptRoom.open(context, { workspace_id, upload_id: upload.id, expected });
  const { size } = await receiveBlob(context, {
    bytes: room.pass(bytes),
    max_bytes: context.images.max_bytes,
    record: async (tx, { digest, size: received }) => {
      await holdOrRefuse(tx, at);
      if (range !== undefined && lengthOf(range) !== received)
        throw new Problem('invalid', 'The piece is not as long as its Content-Range.', {
          code: 'SIZE_INVALID',
        });
      if (received === 0) return;
      const piece = { first: upload.size, digest, size: received };
      if (!(await insertPiece(tx, upload.id, piece))) throw notNext(upload);
      await room.settle(tx, await countBlob(tx, { workspace_id, digest, bytes: spaceOf(received) }));
    },
  });
  return { ...upload, size: upload.size + size };
}

interface Layer {
  readonly at: Repository;
  /** What its client says that it is. */
  readonly digest: string;
}

/** A layer that comes whole. */
export async function receiveLayer(
  context: Context,
  {
    at,
    digest,
    bytes,
    expected,
    upload,
    max_bytes = context.images.max_bytes,
  }: Layer & IncomingBytes & { readonly upload?: UploadRow | undefined; readonly max_bytes?: number },
): Promise<void> {
  const hashed = new HashedBytes(bytes, algorithmOf(digest));
  const { workspace_id } = at;
  await using room = await KeptRoom.open(context, { workspace_id, upload_id: upload?.id, expected });
  await receiveBlob(context, {
    bytes: room.pass(hashed),
    max_bytes,
    record: async (tx, stored) => {
      checkDigest(hashed.digest(), digest);
      await recordLayer(tx, room, { at, digest, stored, upload });
    },
  });
}

/** Ends an upload: its pieces become the layer, if they are what its digest says. */
export async function finishUpload(
  context: Context,
  { at, digest, upload }: Layer & { readonly upload: UploadRow },
): Promise<void> {
  const pieces = await listPieces(context.db, upload.id);
  const [only, ...others] = pieces;
  try {
    if (only === undefined || others.length > 0) {
      // Until its pieces are removed, the layer is on the disk twice.
      const joined = { bytes: bytesOf(context, pieces), expected: upload.size, max_bytes: upload.size };
      return await receiveLayer(context, { at, digest, upload, ...joined });
    }
    checkDigest(await digestOf(context, only, digest), digest);
    await using room = await KeptRoom.open(context, { workspace_id: at.workspace_id });
    await context.db.transaction(async (tx) => {
      if (!(await keepBlob(tx, only.digest))) throw gone();
      await recordLayer(tx, room, { at, digest, stored: only, upload });
    });
  } catch (error) {
    // Pieces that make something else are of no use.
    if (error instanceof Problem && error.code === 'DIGEST_INVALID') await deleteUpload(context.db, upload);
    throw error;
  }
}

async function* bytesOf({ blobs }: Pick<Context, 'blobs'>, pieces: readonly PieceRow[]) {
  for (const { digest } of pieces) {
    const found = await blobs.get(digest);
    if (found === undefined) throw gone();
    yield* found.stream;
  }
}

/** The digest of a piece by the algorithm of another: by the one that names its bytes it is known. */
async function digestOf(context: Pick<Context, 'blobs'>, piece: PieceRow, like: string): Promise<string> {
  if (algorithmOf(like) === 'sha256') return piece.digest;
  const hashed = new HashedBytes(bytesOf(context, [piece]), algorithmOf(like));
  for await (const chunk of hashed) void chunk;
  return hashed.digest();
}

interface RecordedLayer extends Layer {
  readonly stored: StoredBlob;
  /** The upload that ends with it. */
  readonly upload: UploadRow | undefined;
}

async function recordLayer(
  tx: Transaction,
  room: KeptRoom,
  { at, digest, stored, upload }: RecordedLayer,
): Promise<void> {
  await holdOrRefuse(tx, at);
  if (upload !== undefined && !(await deleteUpload(tx, upload))) throw notNext(upload);
  await insertBlob(tx, at, { digest, stored_digest: stored.digest, size: stored.size });
  const blob = { workspace_id: at.workspace_id, digest: stored.digest, bytes: spaceOf(stored.size) };
  await room.settle(tx, await countBlob(tx, blob));
}

/** Whether the layer could be taken from another repository that the caller reaches. */
export async function mountLayer(
  context: Context,
  { at, digest, from }: Layer & { readonly from: Omit<BlobSearch, 'digest'> },
): Promise<boolean> {
  const { db, blobs } = context;
  const found: BlobRow | undefined = await findBlobWithin(db, { ...from, digest });
  if (found === undefined || !(await blobs.has(found.stored_digest))) return false;
  await using room = await KeptRoom.open(context, { workspace_id: at.workspace_id });
  return await db.transaction(async (tx) => {
    if (!(await keepBlob(tx, found.stored_digest))) return false;
    const stored = { digest: found.stored_digest, size: found.size };
    await recordLayer(tx, room, { at, digest, stored, upload: undefined });
    return true;
  });
}

async function holdOrRefuse(tx: Transaction, at: Repository): Promise<void> {
  if (!(await holdRepositories(tx, at))) throw noRepository();
}

function checkDigest(is: string, said: string): void {
  if (is !== said)
    throw new Problem('invalid', 'What has come is not what the digest says.', { code: 'DIGEST_INVALID' });
}

const tooManyUploads = () =>
  new Problem('limit', 'More uploads of this deployment or workspace are open than may be.', {
    hint: 'End them, or wait: one to which nothing is added is removed after an hour.',
    retry_after_s: 60,
  });

const notNext = ({ size }: UploadRow) =>
  new Problem('out_of_range', `The next piece of this upload begins at ${size}.`, {
    code: 'BLOB_UPLOAD_INVALID',
    headers: { range: rangeOf(size) },
  });

const gone = () =>
  new Problem('unavailable', 'A piece of the upload was removed; begin it again.', {
    code: 'BLOB_UPLOAD_UNKNOWN',
  });
