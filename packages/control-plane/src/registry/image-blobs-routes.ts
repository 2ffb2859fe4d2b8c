import { redirectToBlob } from '@roadstead/blobs';
import type { imageBlobs } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { readDigest } from './digest-rules.ts';
import { readRepository } from './image-access.ts';
import { removeLayer } from './image-manifest-work.ts';
import { lengthOf, readByteRange } from './range-rules.ts';
import { findBlob } from './repository-store.ts';

type BlobHandlers = Handlers<typeof imageBlobs>;

export function imageBlobHandlers(context: Context): BlobHandlers {
  const { db, blobs } = context;
  return {
    readRegistry: async () =>
      new Response('{}', {
        headers: { 'content-type': 'application/json', 'docker-distribution-api-version': 'registry/2.0' },
      }),
    readImageBlob: async (call) => {
      const at = await readRepository(context, call);
      const digest = readDigest(call.params.digest);
      const found = await findBlob(db, at, { digest });
      if (found === undefined) throw noBlob();
      const { size, stored_digest } = found;
      const redirect = await redirectToBlob(blobs, {
        digest: stored_digest,
        request: call.request,
        public_url: context.public_url,
        headers: { content_type: 'application/octet-stream' },
      });
      if (redirect !== undefined) return redirect;
      const range = readByteRange(call.request.headers.get('range'), size);
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(range === undefined ? size : lengthOf(range)),
        'docker-content-digest': digest,
        'accept-ranges': 'bytes',
        etag: `"${digest}"`,
        ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
      };
      const status = range === undefined ? 200 : 206;
      // Nobody would close the file. A layer without its bytes has to come again.
      if (call.request.method === 'HEAD') {
        if (!(await blobs.has(stored_digest))) throw noBlob();
        return new Response(null, { status, headers });
      }
      const stored = await blobs.get(stored_digest, range);
      if (stored === undefined) throw noBlob();
      return new Response(stored.stream, { status, headers });
    },
    deleteImageBlob: async (call) => {
      const at = await readRepository(context, call);
      const digest = readDigest(call.params.digest);
      if ((await findBlob(db, at, { digest })) === undefined) throw noBlob();
      if ((await removeLayer(context, { at, digest })) === 'kept')
        throw new Problem('forbidden', 'An image of the repository has this layer; delete that first.');
      return new Response(null, { status: 202 });
    },
  };
}

const noBlob = () =>
  new Problem('not_found', 'The repository has no layer of this digest.', { code: 'BLOB_UNKNOWN' });
