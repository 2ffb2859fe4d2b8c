import { z } from 'zod';
import { isDigest } from '@roadstead/blobs';
import type { Clock, SecretBox } from '@roadstead/kit';

/** The file that an address opens, and its content type. */
interface AddressedBlob {
  readonly digest: string;
  readonly content_type: string;
  /** The file's name, as clients called it. */
  readonly name: string;
}

/** Absolute addresses of files that need no key and hold for an hour: SDKs fetch them without their headers. */
export interface AttachmentAddresses {
  attachmentUrl(blob: AddressedBlob): string;
  /** Addresses that hold no longer than the link under which they are shown. */
  under(share_token: string): AttachmentAddresses;
  /** Undefined where the token is not ours, or has expired; with the link under which the address was shown. */
  read(token: string): (AddressedBlob & { readonly share_token?: string | undefined }) | undefined;
}

const LIFETIME_MS = 3_600_000;
/** The purpose of the seal; a sealed text opens only for its own. */
const PURPOSE = 'attachment address';

const Claims = z.object({
  digest: z.string().refine(isDigest),
  content_type: z.string(),
  name: z.string(),
  until_ms: z.number(),
  share_token: z.string().optional(),
});

/** Others can neither make nor change a sealed text, so the address is the permission. */
export function createAttachmentAddresses({
  secret_box,
  public_url,
  clock,
}: {
  readonly secret_box: SecretBox;
  readonly public_url: string;
  readonly clock: Clock;
}): AttachmentAddresses {
  const origin = public_url.replace(/\/+$/, '');
  const addressesUnder = (share_token: string | undefined): AttachmentAddresses => ({
    under: addressesUnder,
    attachmentUrl: ({ digest, content_type, name }) => {
      const claims = { digest, content_type, name, until_ms: clock.now() + LIFETIME_MS, share_token };
      return `${origin}/attachments/${secret_box.seal(JSON.stringify(claims), PURPOSE)}`;
    },
    read: (token) => {
      const claims = opened(secret_box, token);
      if (claims === undefined || claims.until_ms <= clock.now()) return undefined;
      const { until_ms: _, ...addressed } = claims;
      return addressed;
    },
  });
  return addressesUnder(undefined);
}

function opened(secret_box: SecretBox, token: string): z.output<typeof Claims> | undefined {
  try {
    return Claims.parse(JSON.parse(secret_box.open(token, PURPOSE)));
  } catch {
    return undefined;
  }
}
