import { DOCKER_INDEX, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from '@roadstead/contracts/control-plane';
import { issuesOf, Problem } from '@roadstead/kit';
import { z } from 'zod';
import { isOciDigest } from './digest-rules.ts';

/** Manifests: what an image consists of (OCI image 1.1, and Docker's schema 2). Pure. */

const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}$/;
const MediaType = z.string().regex(MEDIA_TYPE, 'must be a media type');

const Descriptor = z.object({
  mediaType: MediaType,
  digest: z.string().refine(isOciDigest, 'must be a digest'),
  size: z.number().int().min(0),
});
const Common = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: MediaType.optional(),
  subject: Descriptor.nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});
const Image = Common.extend({ config: Descriptor, layers: z.array(Descriptor) });
const Index = Common.extend({ manifests: z.array(Descriptor) });

const schemas = {
  [OCI_MANIFEST]: Image,
  [DOCKER_MANIFEST]: Image,
  [OCI_INDEX]: Index,
  [DOCKER_INDEX]: Index,
};

/** Layers that licences keep from being pushed: they are fetched from where they are. */
const ELSEWHERE = /nondistributable|foreign/;

export interface ManifestFacts {
  readonly media_type: string;
  /** The digests of the layers and the configuration that have to be there. */
  readonly blobs: readonly string[];
  /** The digests of the manifests that have to be there. */
  readonly manifests: readonly string[];
  readonly subject: string | null;
  readonly artifact_type: string | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/** @throws Problem `invalid` where it is none that we know */
export function readManifest(value: unknown, content_type: string | null): ManifestFacts {
  const media_type = (content_type ?? '').split(';', 1)[0]?.trim() ?? '';
  if (!Object.hasOwn(schemas, media_type))
    throw wrongManifest(`Content-Type has to be one of ${Object.keys(schemas).join(', ')}.`);
  const read = schemas[media_type as keyof typeof schemas].safeParse(value);
  if (!read.success)
    throw wrongManifest(
      `The manifest is none: ${issuesOf(read.error, [])
        .map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
        .join('; ')}.`,
    );
  const { data } = read;
  if (isBoth(value)) throw wrongManifest('The manifest is that of an image and of several at once.');
  if (data.mediaType !== undefined && data.mediaType !== media_type)
    throw wrongManifest('The mediaType of the manifest is another one than its Content-Type.');
  const parts = 'layers' in data ? [data.config, ...data.layers] : [];
  return {
    media_type,
    blobs: unique(parts.filter(({ mediaType }) => !ELSEWHERE.test(mediaType))),
    manifests: unique('manifests' in data ? data.manifests : []),
    subject: data.subject?.digest ?? null,
    artifact_type: data.artifactType ?? ('config' in data ? data.config.mediaType : null),
    annotations: data.annotations ?? {},
  };
}

/** Such a document is read as one or the other by its Content-Type, under one digest. */
const isBoth = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'manifests' in value &&
  ('layers' in value || 'config' in value);

const unique = (descriptors: readonly z.output<typeof Descriptor>[]) => [
  ...new Set(descriptors.map(({ digest }) => digest)),
];

export const wrongManifest = (sentence: string) =>
  new Problem('invalid', sentence, { code: 'MANIFEST_INVALID' });
