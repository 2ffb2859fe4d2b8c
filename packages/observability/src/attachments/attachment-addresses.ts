import { z } from 'zod';
import { type Clock, isDigest, type SecretBox } from '@roadstead/kit';

/** What an address of a file permits, and as what it is handed out. */
interface AddressedBlob {
  readonly digest: string;
  readonly content_type: string;
  /** The file's name, as clients called it. */
  readonly name: string;
}

/** Absolute addresses of files that need no key and hold for an hour: SDKs fetch them without their headers. */
export interface AttachmentAddresses {
  attachmentUrl(blob: AddressedBlob): string;
  /** Undefined where the token is not ours, or no longer. */
  read(token: string): AddressedBlob | undefined;
}

const LIFETIME_MS = 3_600_000;
/** A sealed text opens only as what it was sealed for. */
const PURPOSE = 'attachment address';

const Claims = z.object({
  digest: z.string().refine(isDigest),
  content_type: z.string(),
  name: z.string(),
  until_ms: z.number(),
});

/** What is sealed can't be made or changed by others: the address is the permission. */
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
  return {
    attachmentUrl: ({ digest, content_type, name }) => {
      const claims = { digest, content_type, name, until_ms: clock.now() + LIFETIME_MS };
      return `${origin}/attachments/${secret_box.seal(JSON.stringify(claims), PURPOSE)}`;
    },
    read: (token) => {
      const claims = opened(secret_box, token);
      if (claims === undefined || claims.until_ms <= clock.now()) return undefined;
      const { digest, content_type, name } = claims;
      return { digest, content_type, name };
    },
  };
}

function opened(secret_box: SecretBox, token: string): z.output<typeof Claims> | undefined {
  try {
    return Claims.parse(JSON.parse(secret_box.open(token, PURPOSE)));
  } catch {
    return undefined;
  }
}
