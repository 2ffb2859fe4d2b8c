import type { imageUploads } from '@roadstead/contracts/control-plane';
import { type Call, capped, type Handlers } from '@roadstead/http';
import { isUuid, Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { isOciDigest, readDigest } from './digest-rules.ts';
import { pushPlaceOf, readPushRepository, readRepository } from './image-access.ts';
import { findNamed, nameOf, type Repository } from './image-name-rules.ts';
import {
  appendPiece,
  beginUpload,
  finishUpload,
  type IncomingBytes,
  mountLayer,
  readUpload,
  receiveLayer,
} from './image-upload-work.ts';
import { rangeOf, readPieceRange } from './range-rules.ts';
import type { BlobSearch } from './repository-store.ts';
import { deleteUpload, type UploadRow } from './upload-store.ts';

type UploadHandlers = Handlers<typeof imageUploads>;
type UploadCall = Call<{ workspace: string; deployment: string; image: string; upload: string }>;

export function imageUploadHandlers(context: Context): UploadHandlers {
  const uploadOf = (call: UploadCall, at: Repository) => {
    const id = call.params.upload;
    // What is no id of ours was never begun.
    return readUpload(context, { at, id: isUuid(id) ? id : NOBODYS });
  };
  return {
    beginImageUpload: async (call) => {
      const at = await readPushRepository(context, call);
      const { mount, from, digest } = call.query;
      if (mount !== undefined && isOciDigest(mount)) {
        const source = sourceOf(call, from);
        if (source !== undefined && (await mountLayer(context, { at, digest: mount, from: source })))
          return stored(at, mount);
      }
      if (digest === undefined || mount !== undefined) return begun(at, await beginUpload(context, at));
      readDigest(digest);
      using _place = pushPlaceOf(at.workspace_id);
      await receiveLayer(context, { at, digest, ...incomingOf(call.request) });
      return stored(at, digest);
    },
    readImageUpload: async (call) => {
      const at = await readRepository(context, call);
      return begun(at, await uploadOf(call, at), 204);
    },
    appendImageUpload: async (call) => {
      const at = await readPushRepository(context, call);
      const upload = await uploadOf(call, at);
      const range = readPieceRange(call.request.headers);
      using _place = pushPlaceOf(at.workspace_id);
      const piece = { at, upload, range, ...incomingOf(call.request) };
      return begun(at, await appendPiece(context, piece).catch(locating(at, upload)));
    },
    finishImageUpload: async (call) => {
      const at = await readPushRepository(context, call);
      const upload = await uploadOf(call, at);
      const digest = readDigest(call.query.digest);
      const range = readPieceRange(call.request.headers);
      using _place = pushPlaceOf(at.workspace_id);
      using _ending = endingOf(upload);
      await finish(context, { at, upload, digest, range, request: call.request }).catch(locating(at, upload));
      return stored(at, digest);
    },
    cancelImageUpload: async (call) => {
      const at = await readRepository(context, call);
      await deleteUpload(context.db, await uploadOf(call, at));
    },
  };
}

/** The uploads that are being ended. */
const ending = new Set<string>();

/** One request at a time ends an upload: each would copy its pieces. */
function endingOf({ id }: UploadRow): Disposable {
  if (ending.has(id))
    throw new Problem('limit', 'Another request ends this upload already.', { code: 'TOOMANYREQUESTS' });
  ending.add(id);
  return { [Symbol.dispose]: () => void ending.delete(id) };
}

const NOBODYS = '00000000-0000-0000-0000-000000000000';

async function finish(
  context: Context,
  {
    at,
    upload,
    digest,
    range,
    request,
  }: {
    readonly at: Repository;
    readonly upload: UploadRow;
    readonly digest: string;
    readonly range: ReturnType<typeof readPieceRange>;
    readonly request: Request;
  },
): Promise<void> {
  const incoming = incomingOf(request);
  if (upload.size === 0 && range === undefined)
    return receiveLayer(context, { at, digest, upload, ...incoming });
  const hasBody = request.body !== null && request.headers.get('content-length') !== '0';
  const whole = hasBody ? await appendPiece(context, { at, upload, range, ...incoming }) : upload;
  await finishUpload(context, { at, digest, upload: whole });
}

/** Bounded by the room of the workspace. */
const incomingOf = ({ body, headers }: Request): IncomingBytes => {
  const length = headers.get('content-length');
  return { bytes: capped(body, Infinity), expected: length === null ? undefined : Number(length) };
};

/** Where a layer may be taken from: a repository that the caller reaches, or any of these; undefined for another one. */
function sourceOf(
  { workspace_id, principal }: Pick<Call, 'workspace_id' | 'principal'>,
  from: string | undefined,
): Omit<BlobSearch, 'digest'> | undefined {
  const { deployment_id } = principal;
  if (from === undefined) return { workspace_id, ...(deployment_id === undefined ? {} : { deployment_id }) };
  const named = findNamed(from);
  if (named === undefined || named.workspace_id !== workspace_id || !isUuid(named.deployment_id))
    return undefined;
  return (deployment_id ?? named.deployment_id) === named.deployment_id ? named : undefined;
}

const addressOf = (at: Repository, { id }: UploadRow) => `/v2/${nameOf(at)}/blobs/uploads/${id}`;

function begun(at: Repository, upload: UploadRow, status = 202): Response {
  const location = addressOf(at, upload);
  const headers = { location, range: rangeOf(upload.size), 'docker-upload-uuid': upload.id };
  return new Response(null, { status, headers });
}

function stored(at: Repository, digest: string): Response {
  const location = `/v2/${nameOf(at)}/blobs/${digest}`;
  return new Response(null, { status: 201, headers: { location, 'docker-content-digest': digest } });
}

/** Adds to the refusal of a piece where the upload goes on. */
const locating = (at: Repository, upload: UploadRow) => (error: unknown) => {
  if (!(error instanceof Problem) || error.kind !== 'out_of_range') throw error;
  throw new Problem(error.kind, error.message, {
    cause: error,
    ...(error.code === undefined ? {} : { code: error.code }),
    headers: { ...error.headers, location: addressOf(at, upload) },
  });
};
