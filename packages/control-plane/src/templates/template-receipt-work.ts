import { uploads as contract } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { receiveBlob } from '../blobs/blob-receipt-work.ts';
import type { Context } from '../context/context.ts';

const MAX_BYTES = contract.putUpload.max_body_bytes ?? 0;

/**
 * Stores the present state of a template, and answers the digest of its archive: it works like an uploaded source,
 * and stays the same as long as the template does. Throws `invalid` that lists the templates when there is none with
 * this id.
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
