import { redirectToBlob } from '@roadstead/blobs';
import { blobs as contract } from '@roadstead/contracts/control-plane';
import { capped, type Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { receiveBlob } from './blob-receipt-work.ts';

type BlobHandlers = Handlers<typeof contract>;

const MAX_BYTES = contract.putBlob.max_body_bytes ?? 0;

/** Sources and artifacts for listeners; the address itself is the permission. */
export function blobHandlers(context: Context): BlobHandlers {
  return {
    readBlob: async ({ params, request }) => {
      const claims = context.blob_addresses.read(params.token);
      if (claims?.method !== 'GET') throw notValid();
      const { digest } = claims;
      const { public_url } = context;
      const headers = { content_type: 'application/octet-stream' };
      const redirect = await redirectToBlob(context.blobs, { digest, request, public_url, headers });
      if (redirect !== undefined) return redirect;
      const found = await context.blobs.get(digest);
      if (found === undefined) throw new Problem('not_found', 'The blob is no longer there.');
      return new Response(found.stream, {
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(found.size) },
      });
    },
    putBlob: async ({ params, request }) => {
      const claims = context.blob_addresses.read(params.token);
      if (claims?.method !== 'PUT') throw notValid();
      return receiveBlob(context, {
        bytes: capped(request.body, MAX_BYTES),
        max_bytes: MAX_BYTES,
        record: async () => undefined,
      });
    },
  };
}

function notValid(): Problem {
  return new Problem('forbidden', 'This address is invalid or has expired.');
}
