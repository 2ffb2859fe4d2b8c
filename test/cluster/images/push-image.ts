import { openAsBlob } from 'node:fs';
import { type LayeredImage, writtenOf } from './test-registry.ts';

interface Registry {
  /** The repository, below which its blobs and manifests are: `http://host/v2/…`. */
  readonly repository: string;
  readonly authorization: string;
}

/**
 * Pushes an image as engines do, with the tag `1`.
 * @see https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#push
 */
export async function pushImage(image: LayeredImage, { repository, authorization }: Registry): Promise<void> {
  const send = async (method: string, url: string, { type, body }: { type?: string; body?: Blob } = {}) => {
    const headers = { authorization, ...(type && { 'content-type': type }) };
    const answer = await fetch(url, { method, headers, ...(body && { body }) });
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const sendBlob = async (digest: string, body: Blob) => {
    const begun = await send('POST', `${repository}/blobs/uploads/`);
    const place = new URL(begun.headers.get('location') ?? '', repository);
    place.searchParams.set('digest', digest);
    await send('PUT', place.href, { type: 'application/octet-stream', body });
  };
  const { config, manifest } = writtenOf(image);
  for (const { digest, path } of image.layers) await sendBlob(digest, await openAsBlob(path));
  await sendBlob(config.digest, new Blob([config.bytes]));
  await send('PUT', `${repository}/manifests/1`, { type: manifest.type, body: new Blob([manifest.bytes]) });
}
