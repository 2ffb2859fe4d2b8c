import type { attachments } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Blobs, Problem } from '@roadstead/kit';
import type { AttachmentAddresses } from './attachment-addresses.ts';

type AttachmentHandlers = Handlers<typeof attachments>;

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=[\w."-]+)*$/;

/** Files of runs and examples; the address itself is the permission. */
export function attachmentHandlers({
  blobs,
  addresses,
  isShared,
}: {
  readonly blobs: Blobs;
  readonly addresses: AttachmentAddresses;
  /** Whether a link still holds. */
  readonly isShared: (share_token: string) => Promise<boolean>;
}): AttachmentHandlers {
  return {
    readAttachment: async ({ params }) => {
      const claims = addresses.read(params.token);
      const { share_token } = claims ?? {};
      if (claims === undefined || (share_token !== undefined && !(await isShared(share_token))))
        throw new Problem('forbidden', 'This address is invalid or has expired.', {
          hint: 'Read the run or the example again for a new one.',
        });
      const found = await blobs.get(claims.digest);
      if (found === undefined) throw new Problem('not_found', 'The file is no longer there.');
      const { content_type, name } = claims;
      return new Response(found.stream, {
        headers: {
          'content-type': MEDIA_TYPE.test(content_type) ? content_type : 'application/octet-stream',
          'content-length': String(found.size),
          'content-disposition': `attachment; filename*=UTF-8''${encodedName(name)}`,
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
