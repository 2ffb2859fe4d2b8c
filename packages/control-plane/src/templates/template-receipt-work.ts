import { deployments as contract } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { receiveBlob } from '../blobs/blob-receipt-work.ts';
import type { Context } from '../context/context.ts';

const MAX_BYTES = contract.putUpload.max_body_bytes ?? 0;

/**
 * Stores a template as it is now, and answers the digest of its archive: like an uploaded source, and the same as long as the
 * template is. Throws `invalid` that names the templates when there is none of this id.
 */
export async function receiveTemplate(context: Context, id: string | null | undefined): Promise<string> {
  const known = (await context.templates.list()).map((one) => one.id);
  if (id == null || !known.includes(id))
    throw new Problem('invalid', `source_config.template_id must be one of ${known.join(', ')}.`, {
      hint: 'GET /v2/templates lists them.',
    });
  const { digest } = await receiveBlob(context, {
    bytes: await context.templates.pack(id),
    max_bytes: MAX_BYTES,
    record: async () => undefined,
  });
  return digest;
}
