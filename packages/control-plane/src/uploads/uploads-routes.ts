import { uploads as contract } from '@roadstead/contracts/control-plane';
import { type Call, capped, type Handlers } from '@roadstead/http';
import type { StoredBlob } from '@roadstead/blobs';
import { Admission, Problem, uuidv7 } from '@roadstead/kit';
import { receiveBlob } from '../blobs/blob-receipt-work.ts';
import { doOnce } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { lockDeployment, lockLiveDeployment } from '../records/deployment-store.ts';
import { completeUpload, findUploader, insertUpload } from './upload-store.ts';

type UploadHandlers = Handlers<typeof contract>;
type AddressCall = Call<{ deployment_id: string }, undefined, undefined>;

const LIFETIME_S = 900;
const MAX_BYTES = contract.putUpload.max_body_bytes ?? 0;

/** Each upload holds a connection, and disk space before it is recorded. Half of the places are for one workspace. */
export const uploadPlaces = () => new Admission({ size: 200 });
const places = uploadPlaces();

export function uploadHandlers(context: Context): UploadHandlers {
  const createAddress = (call: AddressCall) => createUploadAddress(context, call);
  return {
    createUploadAddress: createAddress,
    createUploadAddressUnversioned: createAddress,
    putUpload: async ({ params, request }) => receiveUpload(context, params.token, request),
  };
}

async function createUploadAddress(context: Context, call: AddressCall) {
  const { deployment_id } = call.params;
  const object_path = await doOnce(context, call, {
    operation: 'createUploadAddress',
    about: [deployment_id],
    work: async (tx) => {
      const { deployment } = await lockLiveDeployment(tx, {
        workspace_id: call.workspace_id,
        id: deployment_id,
      });
      if (deployment.source !== 'internal_source')
        throw new Problem(
          'invalid',
          `Only deployments of source internal_source take uploads, and this is ${deployment.source}.`,
        );
      const path = `uploads/${deployment.id}/${uuidv7()}.tar.gz`;
      await insertUpload(tx, { object_path: path, deployment_id: deployment.id });
      return path;
    },
  });
  const token = context.uploads.sign(
    { method: 'PUT', deployment_id, object_path, max_bytes: MAX_BYTES },
    LIFETIME_S,
  );
  return { upload_url: `${context.public_url}/v2/uploads/${token}`, object_path };
}

async function receiveUpload(context: Context, token: string, request: Request): Promise<void> {
  const claims = context.uploads.read(token);
  if (claims?.method !== 'PUT')
    throw new Problem('forbidden', 'This upload address is invalid or has expired.', {
      hint: 'Ask POST /v2/deployments/{deployment_id}/upload-url for a new one.',
    });
  const workspace_id = await findUploader(context.db, claims);
  if (workspace_id === undefined)
    throw new Problem('forbidden', 'The deployment of this upload address is gone.');
  using _place = placeOf(workspace_id);
  const stored = await receiveBlob(context, {
    bytes: gzipOnly(capped(request.body, claims.max_bytes)),
    max_bytes: claims.max_bytes,
    record: async (tx, blob: StoredBlob) => {
      const held = await lockDeployment(tx, claims.deployment_id);
      if (held === undefined || !(await completeUpload(held.tx, { ...claims, ...blob })))
        throw new Problem('conflict', 'Another archive was uploaded to this address before.', {
          hint: 'Ask for a new address.',
        });
    },
  });
  context.log.info('source received', { deployment_id: claims.deployment_id, size: stored.size });
}

function placeOf(workspace_id: string): Disposable {
  const place = places.tryTake([workspace_id]);
  if (place !== undefined) return place;
  throw new Problem('unavailable', 'This workspace uploads more archives at once than are accepted.', {
    hint: 'Send it again when others have arrived.',
    retry_after_s: 5,
  });
}

/** Passes on a stream that begins like gzip (RFC 1952); refuses any other before it is stored. */
async function* gzipOnly(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head: number[] = [];
  for await (const chunk of bytes) {
    if (head.length < 2) head.push(...chunk.subarray(0, 2 - head.length));
    if (head.length === 2 && !isGzip(head)) throw notGzip();
    yield chunk;
  }
  if (!isGzip(head)) throw notGzip();
}

const isGzip = ([first, second]: readonly number[]) => first === 0x1f && second === 0x8b;

function notGzip(): Problem {
  return new Problem('invalid', 'The body is not a gzip archive.', { hint: 'Send a .tar.gz of the folder.' });
}
