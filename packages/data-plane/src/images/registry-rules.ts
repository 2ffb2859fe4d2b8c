/** What registries say, read. Pure. */

import { z } from 'zod';

/** The forms of a manifest that are read: of one image, and of one for each platform. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

const Platform = z.object({ os: z.string(), architecture: z.string() });
const Index = z.object({
  manifests: z.array(z.object({ digest: z.string(), platform: Platform.optional() })),
});
const Manifest = z.object({ config: z.object({ digest: z.string() }) });

/** One image has its configuration, and several for platforms have the manifest of each. */
export type ManifestKind =
  | { readonly kind: 'image'; readonly config: string }
  | { readonly kind: 'platforms'; readonly manifests: readonly { digest: string; platform: string }[] }
  | { readonly kind: 'other' };

export function manifestKindOf(json: unknown): ManifestKind {
  const image = Manifest.safeParse(json);
  if (image.success) return { kind: 'image', config: image.data.config.digest };
  const index = Index.safeParse(json);
  if (!index.success) return { kind: 'other' };
  const manifests = index.data.manifests.map(({ digest, platform }) => ({
    digest,
    platform: platform === undefined ? '' : `${platform.os}/${platform.architecture}`,
  }));
  return { kind: 'platforms', manifests };
}

const Configuration = z.object({
  os: z.string().default('linux'),
  architecture: z.string(),
  config: z.unknown(),
});

/** The configuration of an image, as an engine tells it. */
export function inspectedOf(json: unknown, id: string): object | undefined {
  const read = Configuration.safeParse(json);
  if (!read.success) return undefined;
  const { os, architecture, config } = read.data;
  return { Id: id, Os: os, Architecture: architecture, Config: config };
}
