import { Problem } from '@roadstead/kit';

/** `registry.example.com:5000/team/agent:1.2@sha256:…`: a registry, a path, and a tag, a digest or both. */

const host = String.raw`(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*(?::\d{1,5})?)`;
const part = String.raw`[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*`;
const tag = String.raw`[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}`;
const reference = new RegExp(
  String.raw`^(?:${host}/)?${part}(?:/${part})*(?::${tag})?(?:@sha256:[0-9a-f]{64})?$`,
);
const MAX_PATH_CHARS = 255;

/** Throws `invalid` for a text that names no image. */
export function checkImage(image_uri: string): void {
  const path = image_uri.split('@')[0] ?? '';
  if (path.length > MAX_PATH_CHARS || !reference.test(image_uri))
    throw new Problem(
      'invalid',
      'source_revision_config.image_uri must name a container image, without a scheme.',
      { hint: 'For example registry.example.com/team/agent:1.0.' },
    );
}
