import { control } from '../../api/clients.ts';
import type { PackedSource } from './pack-source.ts';

const OWN_PATH = '/v2/uploads/';

/** Uploads a source; answers the path by which a revision names it. */
export async function uploadSource(deployment_id: string, { archive }: PackedSource): Promise<string> {
  const { upload_url, object_path } = await control.createUploadAddress({ params: { deployment_id } });
  const address = new URL(upload_url);
  // The platform knows itself by one name, and this page may have reached it by another.
  const isOwn = address.pathname.startsWith(OWN_PATH);
  const answer = await fetch(isOwn ? address.pathname + address.search : upload_url, {
    method: 'PUT',
    body: archive,
    headers: { 'content-type': 'application/gzip' },
  }).catch((cause: unknown) => {
    throw new Error(`${address.origin}, where sources are uploaded, cannot be reached from this page.`, {
      cause,
    });
  });
  if (!answer.ok)
    throw new Error(`The upload was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return object_path;
}
