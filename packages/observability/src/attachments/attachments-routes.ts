import type { attachments } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Blobs, redirectToBlob } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import type { AttachmentAddresses } from './attachment-addresses.ts';

type AttachmentHandlers = Handlers<typeof attachments>;

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=[\w."-]+)*$/;

/** Files of runs and examples; the address itself is the permission. */
export function attachmentHandlers({
  blobs,
  public_url,
  addresses,
  isShared,
}: {
  readonly blobs: Blobs;
  readonly public_url: string;
  readonly addresses: AttachmentAddresses;
  /** Whether a link still holds. */
  readonly isShared: (share_token: string) => Promise<boolean>;
}): AttachmentHandlers {
  return {
    readAttachment: async ({ params, request }) => {
      const claims = addresses.read(params.token);
      const { share_token } = claims ?? {};
      if (claims === undefined || (share_token !== undefined && !(await isShared(share_token))))
        throw new Problem('forbidden', 'This address is invalid or has expired.', {
          hint: 'Read the run or the example again for a new one.',
        });
      const { digest } = claims;
      const content_type = MEDIA_TYPE.test(claims.content_type)
        ? claims.content_type
        : 'application/octet-stream';
      const content_disposition = `attachment; filename*=UTF-8''${encodedName(claims.name)}`;
      const headers = { content_type, content_disposition };
      const redirect = await redirectToBlob(blobs, { digest, request, public_url, headers });
      if (redirect !== undefined) return redirect;
      const found = await blobs.get(digest);
      if (found === undefined) throw new Problem('not_found', 'The file is no longer there.');
      return new Response(found.stream, {
        headers: {
          'content-type': content_type,
          'content-length': String(found.size),
          'content-disposition': content_disposition,
          // A file that users sent must not run as a page of this origin.
          'content-security-policy': 'sandbox',
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, max-age=3600',
        },
      });
    },
  };
}

/** The encoding of RFC 8187. */
const encodedName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
